#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/parameters.h"
#include "kernels/rules/element_kinds.h"

namespace stretto::rules {

// What draws make of the numbers of kernels/philox.h.

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

/// From low up to below high, of a number in [0, 1). Made where the call is prepared; elements are rounded to T.
template <class T>
struct UniformRange {
  double low;
  double width;
  double top;  ///< Rounding must not reach `high`.

  explicit UniformRange(const RandomParameters& parameters)
      : low(parameters.low),
        width(parameters.high - parameters.low),
        top(std::max(parameters.low, largest_below<T>(parameters.high))) {}

  constexpr double number(double unit) const {
    const double value = low + unit * width;
    return top < value ? top : value;
  }
};

/// From low up to below high.
struct IntegerRange {
  std::uint64_t low;
  std::uint64_t width;

  explicit IntegerRange(const RandomParameters& parameters)
      : low(static_cast<std::uint64_t>(parameters.integer_low)),
        width(static_cast<std::uint64_t>(parameters.integer_high) - low) {}

  constexpr std::int64_t number(std::uint64_t bits) const {
    const unsigned __int128 product = static_cast<unsigned __int128>(bits) * width;
    return static_cast<std::int64_t>(low + static_cast<std::uint64_t>(product >> 64));
  }
};

}  // namespace stretto::rules
