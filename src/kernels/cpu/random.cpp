#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include <stretto/base/error.h>

#include "kernels/cpu/element_types.h"
#include "kernels/cpu/elementwise_loop.h"
#include "kernels/cpu/index_order.h"
#include "kernels/cpu/random_tables.h"
#include "kernels/cpu/single_math.h"
#include "kernels/cpu/targets.h"
#include "kernels/philox.h"
#include "kernels/rules/random_numbers.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/random.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stretto {
namespace HWY_NAMESPACE {
namespace {

/// Consecutive blocks, turned so that a loop over them is a loop over vectors.
struct Blocks {
  static constexpr int count = 64;
  std::uint32_t words[4][count];

  std::uint64_t wide(int half, int block) const {
    return words[2 * half][block] | static_cast<std::uint64_t>(words[2 * half + 1][block]) << 32;
  }
};

HWY_NOINLINE void make_blocks(const RandomParameters& parameters, std::uint64_t first, Blocks& blocks) {
  const std::uint64_t key = parameters.key;
  const std::uint64_t draw = parameters.draw;
  for (int i = 0; i < Blocks::count; ++i) {
    const PhiloxBlock block = philox(key, draw, first + static_cast<std::uint64_t>(i));
    for (int word = 0; word < 4; ++word) blocks.words[word][i] = block.words[word];
  }
}

/// `elements` come from one Philox block; `fill(blocks, results)` makes those of all blocks.
template <class T, int elements, class Fill>
HWY_INLINE void generate(const RandomParameters& parameters, std::int64_t first, std::int64_t count,
                         std::byte* destination, const Fill& fill) {
  constexpr std::int64_t batch = elements * Blocks::count;
  Blocks blocks;
  T results[batch];
  for (std::int64_t done = 0; done < count; done += batch) {
    make_blocks(parameters, static_cast<std::uint64_t>((first + done) / elements), blocks);
    fill.run(blocks, results);
    const std::int64_t size = std::min(batch, count - done);
    std::memcpy(destination + done * static_cast<std::int64_t>(sizeof(T)), results,
                static_cast<std::size_t>(size) * sizeof(T));
  }
}

/// Through float to 16 bits, which vectors can do; that the value is rounded twice does not matter to a random one.
template <class T>
HWY_INLINE T round_to(double value) {
  using Step = std::conditional_t<Half<T>, float, T>;
  return static_cast<T>(static_cast<Step>(value));
}

template <class T>
struct Uniform {
  rules::UniformRange<T> range;

  explicit Uniform(const RandomParameters& parameters) : range(parameters) {}

  HWY_INLINE T value(double unit) const { return round_to<T>(range.number(unit)); }

  HWY_INLINE void run(const Blocks& blocks, T* results) const {
    for (int i = 0; i < Blocks::count; ++i) {
      if constexpr (sizeof(T) == 8) {
        for (int half = 0; half < 2; ++half) results[2 * i + half] = value(unit(blocks.wide(half, i)));
      } else {
        constexpr int digits = std::numeric_limits<T>::digits;
        for (int word = 0; word < 4; ++word) results[4 * i + word] = value(unit<digits>(blocks.words[word][i]));
      }
    }
  }
};

template <class T>
struct Normal {
  double mean;
  double deviation;

  explicit Normal(const RandomParameters& parameters) : mean(parameters.low), deviation(parameters.high) {}

  HWY_INLINE T value(double standard) const { return round_to<T>(mean + deviation * standard); }

  HWY_INLINE void run(const Blocks& blocks, T* results) const {
    if constexpr (sizeof(T) == 8) {
      for (int i = 0; i < Blocks::count; ++i) {
        const double radius = std::sqrt(-2 * std::log(unit_above_zero(blocks.wide(0, i))));
        const double angle = 2 * single_math::pi * unit(blocks.wide(1, i));
        results[2 * i] = value(radius * std::cos(angle));
        results[2 * i + 1] = value(radius * std::sin(angle));
      }
    } else {
      for (int pair = 0; pair < 2; ++pair)
        run_pair(blocks.words[2 * pair], blocks.words[2 * pair + 1], results + 2 * pair);
    }
  }

 private:
  // In loops so small that a compiler vectorises each.
  HWY_INLINE void run_pair(const std::uint32_t* radii, const std::uint32_t* angles, T* results) const {
    double radius[Blocks::count];
    double angle[Blocks::count];
    for (int i = 0; i < Blocks::count; ++i) {
      radius[i] = std::sqrt(-2 * single_math::log(unit_above_zero(radii[i])));
    }
    for (int i = 0; i < Blocks::count; ++i) angle[i] = 2 * single_math::pi * unit<32>(angles[i]);
    T cosines[Blocks::count];
    T sines[Blocks::count];
    for (int i = 0; i < Blocks::count; ++i) cosines[i] = value(radius[i] * single_math::cos(angle[i]));
    for (int i = 0; i < Blocks::count; ++i) sines[i] = value(radius[i] * single_math::sin(angle[i]));
    for (int i = 0; i < Blocks::count; ++i) {
      results[4 * i] = cosines[i];
      results[4 * i + 1] = sines[i];
    }
  }
};

template <class T>
struct RandomInteger {
  rules::IntegerRange range;

  explicit RandomInteger(const RandomParameters& parameters) : range(parameters) {}

  HWY_INLINE void run(const Blocks& blocks, T* results) const {
    for (int i = 0; i < Blocks::count; ++i) {
      for (int half = 0; half < 2; ++half) {
        results[2 * i + half] = convert<T>(range.number(blocks.wide(half, i)));
      }
    }
  }
};

template <class T, int elements, class Fill>
void generator(const RandomParameters& parameters, std::int64_t first, std::int64_t count, std::byte* destination) {
  generate<T, elements>(parameters, first, count, destination, Fill(parameters));
}

RandomTables random_tables() {
  return {
      {&generator<float, 4, Uniform<float>>, &generator<double, 2, Uniform<double>>,
       &generator<Float16, 4, Uniform<Float16>>, &generator<BFloat16, 4, Uniform<BFloat16>>},
      {&generator<float, 4, Normal<float>>, &generator<double, 2, Normal<double>>,
       &generator<Float16, 4, Normal<Float16>>, &generator<BFloat16, 4, Normal<BFloat16>>},
      {&generator<float, 2, RandomInteger<float>>, &generator<double, 2, RandomInteger<double>>,
       &generator<Float16, 2, RandomInteger<Float16>>, &generator<BFloat16, 2, RandomInteger<BFloat16>>,
       &generator<std::int32_t, 2, RandomInteger<std::int32_t>>,
       &generator<std::int64_t, 2, RandomInteger<std::int64_t>>,
       &generator<std::uint8_t, 2, RandomInteger<std::uint8_t>>, &generator<bool, 2, RandomInteger<bool>>},
  };
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace stretto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stretto {
namespace {

HWY_EXPORT(random_tables);
const auto tables = HWY_DYNAMIC_DISPATCH(random_tables)();

template <auto table>
void draw(const KernelCall& call, KernelContext& context) {
  const Array& output = call.outputs[0];
  const auto generator = (tables.*table)[static_cast<std::size_t>(output.dtype)];
  if (generator == nullptr) {
    throw DTypeError("the distribution is not defined for dtype " + std::string(name(output.dtype)));
  }
  const auto parameters = call.parameters.get<RandomParameters>();
  fill_in_index_order(output, context, costly_grain,
                      [&](std::int64_t first, std::int64_t count, std::byte* destination) {
                        generator(parameters, first, count, destination);
                      });
}

const KernelRegistration registrations[] = {
    {"uniform", DeviceKind::cpu, &draw<&decltype(tables)::uniform>},
    {"normal", DeviceKind::cpu, &draw<&decltype(tables)::normal>},
    {"randint", DeviceKind::cpu, &draw<&decltype(tables)::randint>},
};

}  // namespace
}  // namespace stretto
#endif
