#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stretto/core/dtype.h>

namespace stretto {

template <class T>
concept Real = std::same_as<T, float> || std::same_as<T, double>;
template <class T>
concept Integer = std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> || std::same_as<T, std::uint8_t>;
template <class T>
concept Number = Real<T> || Integer<T>;
template <class T>
concept Boolean = std::same_as<T, bool>;
template <class T>
concept Half = std::same_as<T, Float16> || std::same_as<T, BFloat16>;

/// Integer arithmetic wraps round, which it does only without a sign.
template <Integer T>
using Unsigned = std::make_unsigned_t<T>;

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
    constexpr From low = static_cast<From>(std::numeric_limits<To>::min());
    constexpr From above = From{2} * static_cast<From>(std::numeric_limits<To>::max() / 2 + 1);
    if (x > low && x < above) return static_cast<To>(x);
    return x >= above ? std::numeric_limits<To>::max() : x <= low ? std::numeric_limits<To>::min() : To{0};
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace stretto
