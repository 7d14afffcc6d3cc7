#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include <stretto/base/error.h>

#include "kernels/cuda/fill_order.cuh"
#include "kernels/kernel.h"
#include "kernels/parameters.h"
#include "kernels/philox.h"

namespace stretto {
namespace {

/// Through float to 16 bits, as on the CPU.
template <class T>
__device__ T round_to(double value) {
  using Step = std::conditional_t<Half<T>, float, T>;
  return convert<T>(static_cast<Step>(value));
}

/// The largest T below `bound`.
template <class T>
double largest_below(double bound) {
  const T rounded = static_cast<T>(bound);
  if (static_cast<double>(rounded) < bound) return static_cast<double>(rounded);
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
  const Bits bits = std::bit_cast<Bits>(rounded);
  constexpr Bits smallest_negative =
      std::bit_cast<Bits>(std::numeric_limits<T>::denorm_min()) | Bits(Bits{1} << (sizeof(T) * 8 - 1));
  const Bits below = bound == 0 ? smallest_negative : static_cast<Bits>(bound > 0 ? bits - 1 : bits + 1);
  return static_cast<double>(std::bit_cast<T>(below));
}

template <class T>
struct UniformValues {
  static constexpr int size = sizeof(T) == 8 ? 2 : 4;
  std::uint64_t key, draw;
  double low, width, top;  // rounding must not reach `high`

  explicit UniformValues(const RandomParameters& p)
      : key(p.key), draw(p.draw), low(p.low), width(p.high - p.low), top(std::max(p.low, largest_below<T>(p.high))) {}

  __device__ T value(double unit) const {
    const double number = low + unit * width;
    return round_to<T>(top < number ? top : number);
  }
  __device__ void operator()(std::int64_t group, T* out) const {
    const PhiloxBlock block = philox(key, draw, static_cast<std::uint64_t>(group));
    if constexpr (sizeof(T) == 8) {
      for (int half = 0; half < 2; ++half) out[half] = value(unit(block.wide(half)));
    } else {
      constexpr int digits = std::numeric_limits<T>::digits;
      for (int word = 0; word < 4; ++word) out[word] = value(unit<digits>(block.words[word]));
    }
  }
};

template <class T>
struct NormalValues {
  static constexpr int size = sizeof(T) == 8 ? 2 : 4;
  std::uint64_t key, draw;
  double mean, deviation;

  explicit NormalValues(const RandomParameters& p) : key(p.key), draw(p.draw), mean(p.low), deviation(p.high) {}

  __device__ void pair(double above_zero, double unit, T* out) const {
    constexpr double pi = 3.141592653589793;
    const double radius = std::sqrt(-2 * std::log(above_zero));
    const double angle = 2 * pi * unit;
    out[0] = round_to<T>(mean + deviation * (radius * std::cos(angle)));
    out[1] = round_to<T>(mean + deviation * (radius * std::sin(angle)));
  }
  __device__ void operator()(std::int64_t group, T* out) const {
    const PhiloxBlock block = philox(key, draw, static_cast<std::uint64_t>(group));
    if constexpr (sizeof(T) == 8) {
      pair(unit_above_zero(block.wide(0)), unit(block.wide(1)), out);
    } else {
      for (int i = 0; i < 2; ++i)
        pair(unit_above_zero(block.words[2 * i]), unit<32>(block.words[2 * i + 1]), out + 2 * i);
    }
  }
};

template <class T>
struct IntegerValues {
  static constexpr int size = 2;
  std::uint64_t key, draw, low, width;

  explicit IntegerValues(const RandomParameters& p)
      : key(p.key),
        draw(p.draw),
        low(static_cast<std::uint64_t>(p.integer_low)),
        width(static_cast<std::uint64_t>(p.integer_high) - low) {}

  __device__ void operator()(std::int64_t group, T* out) const {
    const PhiloxBlock block = philox(key, draw, static_cast<std::uint64_t>(group));
    for (int half = 0; half < 2; ++half)
      out[half] = convert<T>(static_cast<std::int64_t>(low + __umul64hi(block.wide(half), width)));
  }
};

template <template <class> class Values, bool floating_only>
void draw(const KernelCall& call, KernelContext& context) {
  const Array& output = call.outputs[0];
  visit_dtype(output.dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (floating_only && !(Real<T> || Half<T>)) {
      throw DTypeError("the distribution is not defined for dtype " + std::string(name(output.dtype)));
    } else {
      fill_in_order<Values<T>::size, T>(output, context, Values<T>(call.parameters.get<RandomParameters>()));
    }
  });
}

const KernelRegistration registrations[] = {
    {"uniform", DeviceKind::cuda, &draw<UniformValues, true>},
    {"normal", DeviceKind::cuda, &draw<NormalValues, true>},
    {"randint", DeviceKind::cuda, &draw<IntegerValues, false>},
};

}  // namespace
}  // namespace stretto
