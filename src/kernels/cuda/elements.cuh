#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stretto/core/dtype.h>

#include "kernels/rules/integers.h"

namespace stretto {

/// What arithmetic on elements of T is done in: 16-bit floats are computed in float.
template <Element T>
using Computed = std::conditional_t<Half<T>, float, T>;

__device__ inline float widen(Float16 x) { return __half2float(__ushort_as_half(x.bits())); }
__device__ inline float widen(BFloat16 x) { return __bfloat162float(__ushort_as_bfloat16(x.bits())); }
template <class T>
__device__ T widen(T x) {
  return x;
}

/// Rounds once, to nearest, ties to even.
template <Half T, Real From>
__device__ T narrow(From x) {
  if constexpr (std::same_as<T, Float16>) {
    if constexpr (std::same_as<From, double>)
      return T::from_bits(__half_as_ushort(__double2half(x)));
    else
      return T::from_bits(__half_as_ushort(__float2half_rn(x)));
  } else {
    if constexpr (std::same_as<From, double>)
      return T::from_bits(__bfloat16_as_ushort(__double2bfloat16(x)));
    else
      return T::from_bits(__bfloat16_as_ushort(__float2bfloat16_rn(x)));
  }
}

/// A number as another type, as a C++ conversion gives it, but where that is undefined: a float outside an integer
/// type's range becomes the nearest limit, and a NaN 0. 16-bit floats are rounded once. The same as on the CPU.
template <class To, class From>
__device__ To convert(From x) {
  if constexpr (std::same_as<To, From>) {
    return x;
  } else if constexpr (Half<From>) {
    return convert<To>(widen(x));
  } else if constexpr (Boolean<To>) {
    return x != From{0};
  } else if constexpr (Half<To> && Boolean<From>) {
    return narrow<To>(x ? 1.0f : 0.0f);
  } else if constexpr (Half<To> && Integer<From>) {
    return narrow<To>(detail::integer_for_rounding(x));
  } else if constexpr (Half<To>) {
    return narrow<To>(x);
  } else if constexpr (Integer<To> && Real<From>) {
    return rules::clipped<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace stretto
