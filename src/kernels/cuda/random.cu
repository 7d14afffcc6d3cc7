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
#include "kernels/rules/random_numbers.h"

namespace stretto {
namespace {

/// Through float to 16 bits, as on the CPU.
template <class T>
__device__ T round_to(double value) {
  using Step = std::conditional_t<Half<T>, float, T>;
  return convert<T>(static_cast<Step>(value));
}

template <class T>
struct UniformValues {
  static constexpr int size = sizeof(T) == 8 ? 2 : 4;
  std::uint64_t key, draw;
  rules::UniformRange<T> range;

  explicit UniformValues(const RandomParameters& p) : key(p.key), draw(p.draw), range(p) {}

  __device__ T value(double unit) const { return round_to<T>(range.number(unit)); }
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
  std::uint64_t key, draw;
  rules::IntegerRange range;

  explicit IntegerValues(const RandomParameters& p) : key(p.key), draw(p.draw), range(p) {}

  __device__ void operator()(std::int64_t group, T* out) const {
    const PhiloxBlock block = philox(key, draw, static_cast<std::uint64_t>(group));
    for (int half = 0; half < 2; ++half) out[half] = convert<T>(range.number(block.wide(half)));
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
