#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/rules/element_kinds.h"

namespace stretto::rules {

/// The bits in which keys of elements of T can differ, from the lowest on.
template <class T>
inline constexpr int sort_key_bits = sizeof(T) == 8 ? 64 : 32;

/// A number in the order of numbers: -0 is 0, and NaN is larger than all others. 16-bit floats as float.
template <class T>
  requires(Number<T> || Boolean<T>)
constexpr std::uint64_t sort_key(T value) {
  if constexpr (Real<T>) {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    constexpr Bits sign = Bits{1} << (8 * sizeof(T) - 1);
    if (value != value) return std::numeric_limits<Bits>::max();
    const Bits bits = value == 0 ? 0 : std::bit_cast<Bits>(value);
    return (bits & sign) != 0 ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | sign);
  } else if constexpr (sizeof(T) == 8) {
    return static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63);
  } else {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(value)) ^ 0x80000000u;
  }
}

}  // namespace stretto::rules
