#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <stretto/core/dtype.h>

namespace stretto {

// The inner parts of a matrix product, compiled for every instruction set. Operands are packed first: into
// accumulators' type, in the order the innermost loop reads them. So the layout of an operand changes no result.
//
// An element of the product is a sum over blocks of `depth_block`; a block is summed one term after another from zero,
// and blocks are added from the first to the last. This order depends on the depth alone.

/// A matrix somewhere in memory: its first element, strides in elements of any sign.
struct MatrixView {
  const std::byte* data;
  std::int64_t row_stride;
  std::int64_t column_stride;
  DType dtype;

  /// The same matrix from this row and column on.
  MatrixView at(std::int64_t row, std::int64_t column) const {
    const auto size = static_cast<std::int64_t>(item_size(dtype));
    return {data + (row * row_stride + column * column_stride) * size, row_stride, column_stride, dtype};
  }
};

/// Terms of a sum that are added one after another.
inline constexpr std::int64_t depth_block = 384;
/// Where packed columns may be cut: a multiple of every instruction set's panel.
inline constexpr std::int64_t column_unit = 48;
/// Where packed rows may be cut.
inline constexpr std::int64_t row_unit = 8;

/// Calls `f(std::type_identity<T>{}, std::type_identity<Sum>{})`: the type of elements, anything but bool, and what
/// their products are added up in: float for 16-bit floats, unsigned integers of at least 32 bits for integers, so that
/// they wrap.
template <typename F>
decltype(auto) visit_accumulated(DType dtype, F&& f) {
  switch (dtype) {
    case DType::float32: return f(std::type_identity<float>{}, std::type_identity<float>{});
    case DType::float64: return f(std::type_identity<double>{}, std::type_identity<double>{});
    case DType::float16: return f(std::type_identity<Float16>{}, std::type_identity<float>{});
    case DType::bfloat16: return f(std::type_identity<BFloat16>{}, std::type_identity<float>{});
    case DType::int32: return f(std::type_identity<std::int32_t>{}, std::type_identity<std::uint32_t>{});
    case DType::int64: return f(std::type_identity<std::int64_t>{}, std::type_identity<std::uint64_t>{});
    case DType::uint8: return f(std::type_identity<std::uint8_t>{}, std::type_identity<std::uint32_t>{});
    case DType::bool_: break;
  }
  __builtin_unreachable();
}

/// How many elements `packed` holds for that many columns or rows, for each step of depth.
constexpr std::int64_t packed_extent(std::int64_t extent) { return (extent + 63) / 64 * 64; }

/// Packs `depth` (at most depth_block) rows and `columns` columns of the right operand. The part from column c on, a
/// multiple of column_unit, begins at element c * depth of `packed`, which is aligned to a cache line.
void pack_right(const MatrixView& right, std::int64_t depth, std::int64_t columns, std::byte* packed);

/// Packs `rows` rows and `depth` (at most depth_block) columns of the left operand.
void pack_left(const MatrixView& left, std::int64_t rows, std::int64_t depth, std::byte* packed);

/// The product of packed operands, written to `sums` or, if `add`, added to them. `sums` has rows of `row_stride`
/// elements of what `dtype` is added up in.
struct PackedProduct {
  DType dtype;
  const std::byte* left;
  const std::byte* right;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t depth;
  std::byte* sums;
  std::int64_t row_stride;
  bool add;
};
void multiply_packed(const PackedProduct& product);

}  // namespace stretto
