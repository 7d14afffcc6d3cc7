#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include <stretto/backend/priority.h>
#include <stretto/base/call_site.h>
#include <stretto/base/export.h>
#include <stretto/core/device.h>
#include <stretto/core/dtype.h>
#include <stretto/tensor/closure.h>
#include <stretto/tensor/devices.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

class BodyContext;
class RepeatedTask;
class TaskBody;
class TaskLayout;

/// What the body of a task sees while it runs: the memory of the tensors it declared. Lives as long as the call.
class STRETTO_API TaskContext {
 public:
  TaskContext(const TaskContext&) = delete;
  TaskContext& operator=(const TaskContext&) = delete;

  /// The first element of `x`, on the task's device; where the others are, `x.strides()` says. `data<const float>(x)`
  /// needs a declared read, `data<float>(x)` a declared write. Throws UsageError when x was not declared so, DTypeError
  /// when T is not its type; the task then fails, and what it writes with it.
  template <class T>
    requires Element<std::remove_const_t<T>>
  T* data(const Tensor& x) const {
    return static_cast<T*>(find(x, dtype_of<std::remove_const_t<T>>(), !std::is_const_v<T>));
  }
  /// The same for the tensor that was declared as number `index`, counted from 0: no handle has to be captured.
  template <class T, std::integral Index>
    requires Element<std::remove_const_t<T>>
  T* data(Index index) const {
    return static_cast<T*>(
        find(static_cast<std::size_t>(index), dtype_of<std::remove_const_t<T>>(), !std::is_const_v<T>));
  }

  Device device() const;
  /// Calls `body(0) ... body(count - 1)`, in any order, on any of the device's workers, and returns when all are done;
  /// the first exception is rethrown here.
  template <std::invocable<std::int64_t> Body>
  void parallel_for(std::int64_t count, Body&& body) const {
    using Callable = std::remove_reference_t<Body>;
    call_in_parallel(
        count, [](void* callable, std::int64_t i) { (*static_cast<Callable*>(callable))(i); },
        const_cast<void*>(static_cast<const void*>(std::addressof(body))));
  }
  /// The cudaStream_t that the body must launch on; null on other devices. The body only launches, it does not wait.
  void* cuda_stream() const;
  /// A cublasHandle_t of CUDA 13's cuBLAS that works on that stream, made when it is first asked for; null on other
  /// devices. It belongs to the stream: a setting that the body changes it puts back. Throws DeviceError where cuBLAS
  /// does not load.
  void* cublas_handle() const;

 private:
  friend class TaskBody;
  friend class RepeatedTask;
  TaskContext(BodyContext& context, const TaskLayout& layout) : context_(context), layout_(layout) {}

  void* find(const Tensor& x, DType dtype, bool writes) const;
  void* find(std::size_t index, DType dtype, bool writes) const;
  void call_in_parallel(std::int64_t count, void (*call)(void*, std::int64_t), void* body) const;

  BodyContext& context_;
  const TaskLayout& layout_;
};

/// Declares a task of one's own: which tensors it reads and writes, then what it does. The accesses are the only source
/// of ordering, and the task joins the operators on equal terms.
///
///     st::task("saxpy", st::cpu()).read(x).read_write(y).run([=](st::TaskContext& c) {
///       saxpy(n, a, c.data<const float>(x), c.data<float>(y));
///     });
class STRETTO_API TaskBuilder {
 public:
  /// Made by `task`.
  TaskBuilder(const char* name, const Device* device, const CallSite& site)
      : name_(name), device_(device ? *device : Device()), has_device_(device != nullptr), site_(site) {}
  TaskBuilder(const TaskBuilder&) = delete;
  TaskBuilder& operator=(const TaskBuilder&) = delete;
  ~TaskBuilder() {
    if (owned_) release_owned();
  }

  /// The body reads x. A named tensor must live until `run`; a temporary is kept.
  TaskBuilder& read(const Tensor& x) { return add(x.implementation(), read_bits); }
  TaskBuilder& read(Tensor&& x) { return add_owned(std::move(x), read_bits); }
  /// The body overwrites all of x.
  TaskBuilder& write(const Tensor& x) { return add(x.implementation(), write_bits); }
  TaskBuilder& write(Tensor&& x) { return add_owned(std::move(x), write_bits); }
  /// The body changes x: it reads what was there, or writes only a part.
  TaskBuilder& read_write(const Tensor& x) { return add(x.implementation(), read_bits | write_bits); }
  TaskBuilder& read_write(Tensor&& x) { return add_owned(std::move(x), read_bits | write_bits); }
  TaskBuilder& priority(Priority priority) {
    priority_ = priority;
    return *this;
  }

  /// Submits the task and returns; `body` is called later, once, with a TaskContext&, and what it captured is destroyed
  /// there. (Inside a function that `compile` replays: once for each replay, as const, and destroyed with the
  /// function.)
  ///
  /// On a CPU device it runs on a worker, and may itself make, combine and read tensors. What it declared to read it
  /// may also use by its handle, and parts of it: reading the values, operators and tasks submitted inside see what
  /// this task sees, whatever the program has submitted since, and the task is done when they are. What it writes is
  /// reached through the context alone. Any other use of what it declared is a UsageError that names both lines: using
  /// what it writes, writing what it reads, using more than the part that it declared. A tensor that it did not declare
  /// is as another thread would find it: the program's later statements may or may not have changed it.
  ///
  /// On a device with streams the body is called where work is issued to them: it launches, it does not wait, and the
  /// context alone reaches what it declared.
  ///
  /// A body that throws fails the task: reading what it writes throws that error. Throws DeviceError when a tensor is
  /// on another device than the task, UsageError when one is not defined.
  template <std::invocable<TaskContext&> Body>
  void run(Body&& body) {
    submit(detail::Closure::of<TaskContext>(std::forward<Body>(body)));
  }

 private:
  static constexpr std::size_t inline_capacity = 16;
  static constexpr std::uintptr_t read_bits = 1, write_bits = 2, owned_bit = 4, all_bits = 7;

  TaskBuilder& add(TensorImplementation* tensor, std::uintptr_t bits) {
    if (count_ == capacity_) grow();
    entries_[count_++] = reinterpret_cast<std::uintptr_t>(tensor) | bits;
    return *this;
  }
  TaskBuilder& add_owned(Tensor&& tensor, std::uintptr_t bits);
  void grow();
  void release_owned();
  void submit(detail::Closure&& body);

  const char* name_;
  Device device_;
  bool has_device_;
  bool owned_ = false;
  Priority priority_ = Priority::normal;
  CallSite site_;
  std::uint32_t count_ = 0;
  std::uint32_t capacity_ = inline_capacity;
  std::uintptr_t* entries_ = inline_entries_;  ///< TensorImplementation* and the bits above.
  std::uintptr_t inline_entries_[inline_capacity];
  std::unique_ptr<std::uintptr_t[]> more_entries_;
};

/// Begins a task that runs on `device`, where all its tensors are. `name` is what errors and timelines show: a literal
/// (not copied) or a string (kept).
inline TaskBuilder task(const char* name, Device device, CallSite site = std::source_location::current()) {
  return TaskBuilder(name, &device, site);
}
STRETTO_API TaskBuilder task(const std::string& name, Device device, CallSite site = std::source_location::current());
/// On the device of the first tensor declared; on `default_device()` when there is none.
inline TaskBuilder task(const char* name, CallSite site = std::source_location::current()) {
  return TaskBuilder(name, nullptr, site);
}
STRETTO_API TaskBuilder task(const std::string& name, CallSite site = std::source_location::current());

}  // namespace stretto
