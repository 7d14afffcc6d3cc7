#pragma once

#include <cstddef>
#include <cstdint>

namespace stretto {

/// One side of a copy of rows and columns; strides in bytes, zero (to read one element many times) or negative allowed.
template <typename Byte>
struct StridedRows {
  Byte* data;
  std::int64_t row_stride;
  std::int64_t column_stride;
};

/// Copies `rows` times `columns` elements of `item_size` bytes (1, 2, 4 or 8). The two sides may be the very same
/// elements; any other overlap is not allowed.
void strided_copy(const StridedRows<std::byte>& destination, const StridedRows<const std::byte>& source,
                  std::int64_t rows, std::int64_t columns, std::int64_t item_size);

}  // namespace stretto
