#pragma once

#include <limits>
#include <type_traits>

#include "kernels/rules/element_kinds.h"

namespace stretto::rules {

// Sums, differences and products wrap round.

template <Integer T>
constexpr T sum(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
}
template <Integer T>
constexpr T difference(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
}
template <Integer T>
constexpr T product(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) * static_cast<Unsigned<T>>(b));
}
template <Integer T>
constexpr T negative(T x) {
  return difference(T{0}, x);
}

/// The quotient rounded towards minus infinity. `b` is not 0.
template <Integer T>
constexpr T floor_quotient(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return negative(a);  // the lowest integer has no positive
  }
  const T quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// What that leaves: it has the divisor's sign. `b` is not 0.
template <Integer T>
constexpr T floor_rest(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  const T rest = a % b;
  return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}

/// Wraps round. `y` is not negative.
template <Integer T>
constexpr T power(T x, T y) {
  Unsigned<T> result = 1;
  Unsigned<T> base = static_cast<Unsigned<T>>(x);
  for (Unsigned<T> rest = static_cast<Unsigned<T>>(y); rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) result *= base;
    base *= base;
  }
  return static_cast<T>(result);
}

/// A float outside an integer type's range becomes the nearest limit, and a NaN 0.
template <Integer To, Real From>
constexpr To clipped(From x) {
  constexpr From low = static_cast<From>(std::numeric_limits<To>::min());
  constexpr From above = From{2} * static_cast<From>(std::numeric_limits<To>::max() / 2 + 1);
  // Only a value in range is converted, also where a compiler converts before it selects.
  const bool in_range = (x > low) & (x < above);
  const To whole = static_cast<To>(in_range ? x : From{0});
  const To limit = x >= above ? std::numeric_limits<To>::max() : x <= low ? std::numeric_limits<To>::min() : To{0};
  return in_range ? whole : limit;
}

}  // namespace stretto::rules
