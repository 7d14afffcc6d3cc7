#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

namespace stretto {

/// Blocks are multiples of this many bytes, and so are their addresses within a slab.
inline constexpr std::size_t block_alignment = 64;

/// `bytes` rounded up to a multiple of `block_alignment`, at least one. `bytes` is at most half of SIZE_MAX.
constexpr std::size_t align_block(std::size_t bytes) {
  return (std::max(bytes, std::size_t{1}) + block_alignment - 1) & ~(block_alignment - 1);
}

/// The number of the smallest size class that holds `bytes`. Classes are 64 bytes apart up to 1 KiB and then eight to a
/// doubling, so that rounding up wastes at most an eighth (below 512 bytes: less than 64 bytes).
constexpr std::size_t size_class_of(std::size_t bytes) {
  const std::size_t units = align_block(bytes) / block_alignment;
  if (units <= 8) return units - 1;
  const int doubling = std::bit_width(units - 1) - 4;  // units lie in (8 << doubling, 16 << doubling].
  const std::size_t step = (units - 1) >> doubling;    // 8 ... 15
  return (static_cast<std::size_t>(doubling) + 1) * 8 + step - 8;
}

/// The bytes of a block of a size class.
constexpr std::size_t size_class_bytes(std::size_t size_class) {
  if (size_class < 8) return (size_class + 1) * block_alignment;
  const std::size_t doubling = size_class / 8 - 1;
  return ((size_class % 8 + 9) << doubling) * block_alignment;
}

}  // namespace stretto
