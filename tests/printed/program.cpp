// The program of seed 126 of stretto check.
// clang-format off

// What the statements of a random program call beside the public interface: user tasks, writes from the host, and the
// log of what the program saw. The text of this file also goes in front of a program that `stretto check` prints, so it
// uses public headers alone and is complete in itself.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <stretto/base/schedule.h>
#include <stretto/stretto.h>

namespace stretto::check {

inline std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

/// A number of any type, not too large, so that what is computed from it does not end in infinities.
template <Element T>
T number_of(std::uint64_t hash) {
  if constexpr (std::is_same_v<T, bool>) return hash % 2 == 1;
  if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<std::int64_t>(hash % 2001) - 1000);
  return T(static_cast<float>(static_cast<std::int64_t>(hash % 1025) - 512) / 64);
}

template <Element T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

/// Calls `visit(element)` for each element, in order.
template <class T, class Visit>
void for_each_element(T* first, const Shape& shape, const Strides& strides, Visit visit) {
  std::array<std::int64_t, max_rank> index{};
  for (std::int64_t left = shape.numel(); left > 0; --left) {
    std::int64_t offset = 0;
    for (int axis = 0; axis < shape.rank(); ++axis) offset += index[static_cast<std::size_t>(axis)] * strides[axis];
    visit(first[offset]);
    for (int axis = shape.rank() - 1; axis >= 0 && ++index[static_cast<std::size_t>(axis)] == shape[axis]; --axis) {
      index[static_cast<std::size_t>(axis)] = 0;
    }
  }
}

/// A tensor as a task's body needs it: no handle, so that bodies keep nothing alive.
struct Layout {
  explicit Layout(const Tensor& x) : shape(x.shape()), strides(x.strides()), dtype(x.dtype()) {}

  std::uint64_t hash(const TaskContext& context, int position, std::uint64_t start) const {
    return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
      std::uint64_t result = start;
      for_each_element(context.data<const T>(position), shape, strides,
                       [&](const T& element) { result = mix(result, bits_of(element)); });
      return result;
    });
  }
  void write(const TaskContext& context, int position, std::uint64_t hash) const {
    visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
      std::uint64_t state = hash;
      for_each_element(context.data<T>(position), shape, strides,
                       [&](T& element) { element = number_of<T>((state = mix(state, 1)) >> 20); });
    });
  }

  Shape shape;
  Strides strides;
  DType dtype;
};

/// Some tasks take their time, so that others overtake those that do not wait for them.
inline void dawdle(std::int64_t number) {
  if (number % 7 == 3) std::this_thread::sleep_for(std::chrono::microseconds(20 * (number % 13)));
}

inline std::uint64_t start_of(std::int64_t number) { return mix(0x51ed, static_cast<std::uint64_t>(number)); }

/// A task that writes all of x and reads nothing.
inline void overwrite(const Tensor& x, std::int64_t number) {
  task("overwrite").write(x).run([layout = Layout(x), number](TaskContext& context) {
    dawdle(number);
    layout.write(context, 0, start_of(number));
  });
}

/// A task that writes x by what was there.
inline void scramble(const Tensor& x, std::int64_t number) {
  task("scramble").read_write(x).run([layout = Layout(x), number](TaskContext& context) {
    dawdle(number);
    layout.write(context, 0, layout.hash(context, 0, start_of(number)));
  });
}

/// A task that writes x by what is in a and b.
inline void blend(const Tensor& x, const Tensor& a, const Tensor& b, std::int64_t number) {
  task("blend").read(a).read(b).read_write(x).run(
      [x = Layout(x), a = Layout(a), b = Layout(b), number](TaskContext& context) {
        dawdle(number);
        x.write(context, 2, x.hash(context, 2, b.hash(context, 1, a.hash(context, 0, start_of(number)))));
      });
}

/// A task that throws instead of writing x.
inline void fail(const Tensor& x, std::int64_t number) {
  task("fail").read_write(x).run([number](TaskContext&) {
    dawdle(number);
    throw Error("task " + std::to_string(number) + " was made to fail");
  });
}

/// Random numbers from a generator of their own: the thread's would depend on which thread drew first.
inline Tensor drawn(std::int64_t seed, const Shape& shape, Device device, DType dtype) {
  Generator generator(static_cast<std::uint64_t>(seed));
  return uniform(generator, -4, 4, shape, device, dtype);
}
inline Tensor drawn_integers(std::int64_t seed, const Shape& shape, Device device, DType dtype) {
  Generator generator(static_cast<std::uint64_t>(seed));
  return randint(generator, 0, 100, shape, device, dtype);
}
inline Tensor drawn_normal(std::int64_t seed, const Shape& shape, Device device, DType dtype) {
  Generator generator(static_cast<std::uint64_t>(seed));
  return normal(generator, 0, 2, shape, device, dtype);
}

/// What `make` returns. What else it makes is freed before that is assigned.
template <class Make>
Tensor of(Make make) {
  return make();
}

/// A tensor in memory that was dropped while a task may still write it. The writer of its first half goes on behind
/// that task, where the memory comes without a wait; the writer of the other half comes from elsewhere.
inline Tensor reused(std::int64_t seed, std::int64_t rows, std::int64_t columns, Device device, DType dtype) {
  const Tensor elsewhere = drawn_integers(seed + 1, {rows, columns}, device, dtype);
  Tensor old = drawn_integers(seed, {2 * rows, columns}, device, dtype);
  constexpr std::int64_t slow = 38;
  if (device.kind() != DeviceKind::cuda) scramble(old, slow);  // whose body runs on the host
  const Tensor behind = neg(old.slice(0, 0, rows));
  old = Tensor();
  return concat({behind, elsewhere}, 0);
}

/// A task on a CPU that reads a, also by its handle, by operators and by a task of its own, makes tensors on `device`,
/// waits for them, and writes x by their values.
inline void compute_inside(const Tensor& x, const Tensor& a, Device device, std::int64_t number) {
  task("compute_inside")
      .read(a)
      .read_write(x)
      .run([x = Layout(x), read = Layout(a), a, device, number](TaskContext& context) {
        std::uint64_t hash = read.hash(context, 0, start_of(number));
        visit_dtype(a.dtype(), [&]<class T>(std::type_identity<T>) {
          for (const T element : a.to_vector<T>()) hash = mix(hash, bits_of(element));
          for (const T element : a.to(device).unsqueeze(0).transpose(0, -1).host<T>())
            hash = mix(hash, bits_of(element));
        });
        hash = mix(hash, bits_of(sum(a.to(DType::float64)).item<double>()));
        const Tensor seen = zeros({1}, context.device(), DType::int64);
        task("read inside").read(a).write(seen).run([read](TaskContext& inner) {
          *inner.data<std::int64_t>(1) = static_cast<std::int64_t>(read.hash(inner, 0, 0));
        });
        hash = mix(hash, static_cast<std::uint64_t>(seen.item<std::int64_t>()));
        const Tensor made = drawn(static_cast<std::int64_t>(hash >> 20), {5, 3}, device, DType::float32);
        const Tensor product = matmul(made, made.t());
        product[1] = made.select(1, 0);
        x.write(context, 1, x.hash(context, 1, mix(hash, bits_of(sum(product).item<float>()))));
      });
}

/// A write from the host, as an ordered task.
inline void rewrite(const Tensor& x, std::int64_t number) {
  visit_dtype(x.dtype(), [&]<class T>(std::type_identity<T>) {
    x.host_write<T>([number](std::span<T> elements) {
      dawdle(number);
      std::uint64_t state = start_of(number);
      for (const T& element : elements) state = mix(state, bits_of(element));
      for (T& element : elements) element = number_of<T>((state = mix(state, 1)) >> 20);
    });
  });
}

/// A function that is compiled, until it is dropped.
class Function {
 public:
  using Body = std::function<Tensor(const Tensor&, const Tensor&)>;

  explicit Function(Body body) : compiled_(compile(std::move(body))) {}
  Tensor operator()(const Tensor& a, const Tensor& b) const { return (*compiled_)(a, b); }
  void drop() { compiled_.reset(); }

 private:
  std::optional<CompiledFunction<Body>> compiled_;
};

/// What a program saw, by the numbers of its statements. Each statement writes its own line, so that several threads
/// may, and tasks too; the log outlives them.
class Log {
 public:
  explicit Log(int statements)
      : lines_(static_cast<std::size_t>(statements)), kept_(static_cast<std::size_t>(statements)) {}

  const std::vector<std::string>& lines() const { return lines_; }
  void put(int number, std::string line) { lines_[static_cast<std::size_t>(number)] = std::move(line); }

  /// Reads all elements.
  void see(int number, const Tensor& x) {
    note(number, [&] {
      return visit_dtype(x.dtype(), [&]<class T>(std::type_identity<T>) {
        std::uint64_t hash = 0;
        for (const T element : x.to_vector<T>()) hash = mix(hash, bits_of(element));
        return text(hash) + " " + to_string(x.shape());
      });
    });
  }
  /// Reads one number.
  void see_item(int number, const Tensor& x) {
    note(number, [&] { return text(bits_of(x.item<double>())); });
  }
  /// Waits, and reads nothing.
  void wait(int number, const Tensor& x) {
    note(number, [&] {
      x.wait();
      return std::string("there");
    });
  }
  void wait_all(int number) {
    note(number, [&] {
      stretto::wait_all();
      return std::string("all done");
    });
  }
  void synchronize(int number, Device device) {
    note(number, [&] {
      stretto::synchronize(device);
      return std::string("device done");
    });
  }
  void see_equal(int number, const Tensor& a, const Tensor& b) {
    note(number, [&] { return std::string(equal(a, b) ? "equal" : "different"); });
  }
  void see_close(int number, const Tensor& a, const Tensor& b) {
    note(number, [&] { return std::string(allclose(a, b, 0.5, 1) ? "close" : "far"); });
  }
  /// Takes a snapshot, which is looked at when the program has ended: what was written later must not be in it.
  void keep(int number, const Tensor& x) {
    note(number, [&] {
      visit_dtype(x.dtype(), [&]<class T>(std::type_identity<T>) {
        kept_[static_cast<std::size_t>(number)] = [snapshot = x.host<T>()] {
          std::uint64_t hash = 0;
          for (const T element : snapshot) hash = mix(hash, bits_of(element));
          return text(hash);
        };
      });
      return std::string();
    });
  }
  /// A task that reads x and tells what it saw.
  void watch(int number, const Tensor& x) {
    put(number, "not run");
    task("watch").read(x).run([this, number, layout = Layout(x)](TaskContext& context) {
      dawdle(number);
      put(number, text(layout.hash(context, 0, 0)));
    });
  }

  /// Looks at the snapshots, when all is done, and lets them go.
  void finish() {
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (kept_[i]) lines_[i] = kept_[i]();
      kept_[i] = nullptr;
    }
  }
  void print() const {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!lines_[i].empty()) std::printf("%zu: %s\n", i, lines_[i].c_str());
    }
    if (deterministic_schedule()) std::fprintf(stderr, "schedule %s\n", text(schedule_hash()).c_str());
  }

 private:
  static std::string text(std::uint64_t hash) {
    char digits[17];
    std::snprintf(digits, sizeof(digits), "%016llx", static_cast<unsigned long long>(hash));
    return digits;
  }
  template <class Look>
  void note(int number, Look look) {
    try {
      put(number, look());
    } catch (const Error& error) {
      put(number, error.what());
    }
  }

  std::vector<std::string> lines_;
  std::vector<std::function<std::string()>> kept_;
};

}  // namespace stretto::check

using namespace stretto;

int main() {
  reseed_schedule(127u);
  check::Log book(286);
  Tensor t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12;
  check::Function f0([&](const Tensor& a, const Tensor& b) -> Tensor {
    std::array<Tensor, 6> u{a, b};
    u[5] = t6.select(0, 0);
    u[0] = chunk(u[1], 2, 0)[1];
    u[2] = Tensor();
    u[5] = u[0] - u[1];
    u[2] = log_softmax(t6, 0);
    u[4] = cos(u[2]);
    u[5].copy_(u[4]);
    u[5] = stretto::min(t6, 0, 1 == 1);
    u[3] = argmin(u[4], 0, 1 == 1);
    u[3] -= u[3];
    u[2] = u[3] + u[3];
    u[0] = u[2] + 4;
    u[5] = minimum(u[0], u[0]);
    check::blend(u[2], u[0], u[0], 50813);
    u[5] = u[1].select(0, 1);
    u[3] = abs(u[5]);
    u[3].copy_(u[3]);
    u[3].copy_(u[3]);
    u[3] += u[5];
    u[3] += u[3];
    u[2] = any(u[0], 0, 0 == 1);
    u[4] = log_softmax(u[4], 0);
    u[2] = t6.select(0, 2);
    return u[2];
  });
  t3 = check::drawn(537, {3}, Device(DeviceKind::cpu, 1), DType::float32);
  t6 = check::drawn(895, {4, 1}, Device(DeviceKind::sim, 1), DType::float16);
  t12 = check::reused(359, 4, 4, Device(DeviceKind::cpu, 1), DType::int64);
  t6 = arange(0, 3, 1, Device(DeviceKind::sim, 1), DType::bfloat16);
  t0 = check::drawn_integers(901, {4, 4}, Device(DeviceKind::sim, 0), DType::int32);
  t2 = check::drawn_normal(434, {3, 4}, Device(DeviceKind::sim, 0), DType::float32);
  {
    ScheduledThread thread2([&] {
      t8 = Tensor(t12);
    });
    thread2.join();
  }
  {
    ScheduledThread thread1([&] {
      t12 = rsqrt(t8);
      t8.zero_();
      t12 = t8.narrow(0, 0, 4).narrow(1, 2, 2);
      t8 = t0.to(DType::uint8);
      t12.fill_(1);
      t12 = check::drawn(657, {4}, Device(DeviceKind::sim, 1), DType::float32);
      t12 = t2.slice(1, 2, 4, 2);
      t12 = t6.expand({3, -1});
      t0.copy_(t8);
      t2.fill_(3);
      t12 = t12.select(0, 2);
      t0 = t6.to(Device(DeviceKind::cpu, 0));
      t12 = norm(t12, 0, 0 == 1);
      t0 += t0;
      t2 = clamp(t6, t6, t12);
      t7 = matmul(t2, t2);
      t7 *= 2 * 0.5;
      t0 = cumsum(t0, 0);
      t2.copy_(t3);
      t1 = sin(t8);
      check::overwrite(t12, 6070);
      t2 = t1.slice(0, 0, 3, 3);
      t7 = check::drawn(413, {}, Device(DeviceKind::sim, 0), DType::float16);
      check::overwrite(t12, 71063);
      check::overwrite(t2, 98446);
      t12 = t1.squeeze();
      t2 = t8 * t7;
      t10 = t12 * t8;
      t1 = var(t12, 0, 1 == 1);
      t2.slice(0, 1) = t2.slice(0, 0, -1);
      t10 = !t8;
      t4 = t6 - t6;
      t12 = t3.slice(0, 2, 3, 2);
      t12 = t2.slice(1, std::nullopt, std::nullopt, -1);
      t2 = relu_backward(t7, t7);
      t10 = Tensor();
      t4 = t0 + t0;
      t4[0] = t7;
      t8 = cos(t6);
      t3 = softmax(t3, 0);
      t12 = log_softmax(t6, 0);
      t4 = sum(t1, 1, 1 == 1);
      t10 = check::drawn_normal(673, {3, 4}, Device(DeviceKind::sim, 0), DType::float32);
      t0.fill_(3);
      check::overwrite(t10, 52400);
      t8 = check::drawn(430, {2, 4}, Device(DeviceKind::cpu, 1), DType::float64);
      t1 = t6.to(DType::bool_);
      book.wait(178, t8);
      check::scramble(t0, 97546);
      t7 = Tensor();
      t1 = -1 - t0;
      t1 = stretto::max(t4, 1, 1 == 1);
      t12.copy_(t3);
      t2 = logical_or(t2, t2);
      t2 = t3.slice(0, 2, 3, 1);
      t12 = t10.narrow(0, 0, 1).narrow(1, 0, 2);
      t1 = log_softmax(t1, 1);
      t3 = check::reused(375, 4, 4, Device(DeviceKind::cpu, 0), DType::int32);
      t4 = f0(t6, t6);
      t10.zero_();
      t3 -= t3;
      t12 = argsort(t2, 0, 0 == 1);
      t3 = matmul(t2, t2);
      t3 = log2(t6);
      t0.copy_(t3);
      t3 = f0(t6, t3);
      t2 = check::drawn(6, {4, 4}, Device(DeviceKind::sim, 0), DType::float32);
      t10 = f0(t6, t6);
      t1 = Tensor();
      book.see(237, t8);
      t3 = f0(t6, t6);
      book.keep(239, t2);
      t0.copy_(t0);
      t12 = argsort(t0, 0, 0 == 1);
      check::scramble(t8, 86490);
      t0 = t0 + t12;
      t0 = f0(t4, t6);
      t1 = t4.squeeze();
      t8.copy_(t8);
      t10 = var(t6, 0, 0 == 1);
      t4 = check::drawn(241, {1, 4}, Device(DeviceKind::sim, 0), DType::float32);
      t7 = f0(t6, t6);
      t10 += t3;
      t8.copy_(t4);
      t10 = t3 / t6;
      t2 = f0(t10, t10);
      t0 = t0.clone();
    });
    ScheduledThread thread2([&] {
      t11 = Tensor();
      t11 = t6 + 3;
      t11 += t6;
      t5 = t6.select(0, 2);
      t11[0] = t5;
      t11[0] = t5;
      t11 = tanh_backward(t11, t11);
      t11 *= t5;
      check::scramble(t11, 49295);
      t5 = matmul(t11, t11);
      t11 = check::reused(841, 4, 4, Device(DeviceKind::cpu, 0), DType::int64);
      t5 = t6 % -3;
      t5.copy_(t5);
      t11 = minimum(t11, t11);
      t11 = rsqrt(t5);
      t5 = t6 + t11;
      t11 = t5 / t6;
      t5 += t5;
      t5 += t6;
      t11 /= t6;
      t11 = f0(t6, t5);
      t5 = t11 == t11;
      t5 = where(t5, t11, t6);
      t11 = f0(t5, t5);
      t11 = f0(t11, t5);
      t11 = check::reused(48, 2, 3, Device(DeviceKind::cpu, 1), DType::int64);
      t11 = check::drawn(649, {4, 4}, Device(DeviceKind::cpu, 1), DType::float32);
      t5 = t11.narrow(0, 1, 2);
      book.watch(250, t5);
      book.keep(253, t6);
      t5 = f0(t6, t6);
      t11 += t11;
      t5 = t5 > t5;
      check::overwrite(t5, 45389);
      t11 = f0(t6, t6);
      t5 = t6.narrow(0, 2, 1);
    });
  t9 = matmul(t6, t6);
  t9 -= t9;
  t9 = full({3, 3}, 3, Device(DeviceKind::sim, 1), DType::bfloat16);
  t9 = t6.squeeze();
  t9 = check::of([&] { return stretto::sort(t6, 0, 1 == 1).values; });
  t9.copy_(t6);
  check::blend(t9, t6, t9, 18884);
  t9.copy_(t6);
  t9 = sum(t9, 0, 1 == 1);
  t9 = t6 / t6;
  t9 = sqrt(t6);
  t9 = cumsum(t9, 0);
  t9 = stretto::tanh(t6);
  t9 = sum(t6, 0, 1 == 1);
  t9 = matmul(t6, t6);
  t9 -= t9;
  t9 = full({3, 3}, 3, Device(DeviceKind::sim, 1), DType::bfloat16);
  t9 = t6.squeeze();
  t9 = check::of([&] { return stretto::sort(t6, 0, 1 == 1).values; });
  t9.copy_(t6);
  check::blend(t9, t6, t9, 18884);
  t9.copy_(t6);
  t9 = sum(t9, 0, 1 == 1);
  t9 = t6 / t6;
  t9 = sqrt(t6);
  t9 = cumsum(t9, 0);
  t9 = stretto::tanh(t6);
  t9 = sum(t6, 0, 1 == 1);
  t9 = matmul(t6, t6);
  t9 -= t9;
  t9 = full({3, 3}, 3, Device(DeviceKind::sim, 1), DType::bfloat16);
  t9 = t6.squeeze();
  t9 = check::of([&] { return stretto::sort(t6, 0, 1 == 1).values; });
  t9.copy_(t6);
  check::blend(t9, t6, t9, 18884);
  t9.copy_(t6);
  t9 = sum(t9, 0, 1 == 1);
  t9 = t6 / t6;
  t9 = sqrt(t6);
  t9 = cumsum(t9, 0);
  t9 = stretto::tanh(t6);
  t9 = sum(t6, 0, 1 == 1);
  t9 = matmul(t6, t6);
  t9 -= t9;
  t9 = full({3, 3}, 3, Device(DeviceKind::sim, 1), DType::bfloat16);
  t9 = t6.squeeze();
  t9 = check::of([&] { return stretto::sort(t6, 0, 1 == 1).values; });
  t9.copy_(t6);
  check::blend(t9, t6, t9, 18884);
  t9.copy_(t6);
  t9 = sum(t9, 0, 1 == 1);
  t9 = t6 / t6;
  t9 = sqrt(t6);
  t9 = cumsum(t9, 0);
  t9 = stretto::tanh(t6);
  t9 = sum(t6, 0, 1 == 1);
  t9 = matmul(t6, t6);
  t9 -= t9;
  t9 = full({3, 3}, 3, Device(DeviceKind::sim, 1), DType::bfloat16);
  t9 = t6.squeeze();
  t9 = check::of([&] { return stretto::sort(t6, 0, 1 == 1).values; });
  t9.copy_(t6);
  check::blend(t9, t6, t9, 18884);
  t9.copy_(t6);
  t9 = sum(t9, 0, 1 == 1);
  t9 = t6 / t6;
  t9 = sqrt(t6);
  t9 = cumsum(t9, 0);
  t9 = stretto::tanh(t6);
  t9 = sum(t6, 0, 1 == 1);
  t9 = matmul(t6, t6);
  t9 -= t9;
  t9 = full({3, 3}, 3, Device(DeviceKind::sim, 1), DType::bfloat16);
  t9 = t6.squeeze();
  t9 = check::of([&] { return stretto::sort(t6, 0, 1 == 1).values; });
  t9.copy_(t6);
  check::blend(t9, t6, t9, 18884);
  t9.copy_(t6);
  t9 = sum(t9, 0, 1 == 1);
  t9 = t6 / t6;
  t9 = sqrt(t6);
  t9 = cumsum(t9, 0);
  t9 = stretto::tanh(t6);
  t9 = sum(t6, 0, 1 == 1);
  t9 = matmul(t6, t6);
  t9 -= t9;
  t9 = full({3, 3}, 3, Device(DeviceKind::sim, 1), DType::bfloat16);
  t9 = t6.squeeze();
  t9 = check::of([&] { return stretto::sort(t6, 0, 1 == 1).values; });
  t9.copy_(t6);
  check::blend(t9, t6, t9, 18884);
  t9.copy_(t6);
  t9 = sum(t9, 0, 1 == 1);
  t9 = t6 / t6;
  t9 = sqrt(t6);
  t9 = cumsum(t9, 0);
  t9 = stretto::tanh(t6);
  t9 = sum(t6, 0, 1 == 1);
  check::scramble(t9, 57367);
  t9 = stretto::min(t6, 0, 1 == 1);
  t9 -= t9;
  book.see(141, t6);
  check::scramble(t9, 2027);
  t9.fill_(2);
  t9.copy_(t9);
  t9 = stretto::max(t6, 0, 0 == 1);
  t9 += t9;
  t9 /= t9;
  t9 = f0(t9, t6);
  t9 = f0(t6, t6);
  t9 = sum(t6, 0, 0 == 1);
  t9 = f0(t9, t6);
  t9 = f0(t6, t6);
  t9 = f0(t9, t6);
    thread1.join();
    thread2.join();
  }
  book.see(271, t0);
  book.see(272, t1);
  book.see(273, t2);
  book.see(274, t3);
  book.see(276, t4);
  book.see(277, t5);
  book.see(278, t6);
  book.see(279, t7);
  book.see(280, t8);
  book.see(281, t9);
  book.see(282, t10);
  book.see(283, t11);
  book.see(284, t12);
  t0 = Tensor();
  t1 = Tensor();
  t2 = Tensor();
  t3 = Tensor();
  t4 = Tensor();
  t5 = Tensor();
  t6 = Tensor();
  t7 = Tensor();
  t8 = Tensor();
  t9 = Tensor();
  t10 = Tensor();
  t11 = Tensor();
  t12 = Tensor();
  f0.drop();
  book.wait_all(285);
  book.finish();
  book.print();
}
