#include "kernels/cpu/strided_copy.h"

#include <algorithm>
#include <cstring>

namespace stretto {

namespace {

// Elements travel as blobs of their size through memcpy, which a compiler turns into single moves whatever type they
// have.
template <int size>
struct Item {
  std::byte bytes[size];
};

template <int size>
void fill_row(std::byte* destination, const std::byte* source, std::int64_t count) {
  Item<size> value;
  std::memcpy(&value, source, size);
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(destination + i * size, &value, size);
}

template <int size>
void copy_row(std::byte* destination, std::int64_t destination_stride, const std::byte* source,
              std::int64_t source_stride, std::int64_t count) {
  if (destination_stride == size) {
    if (source_stride == size) {
      if (destination != source) std::memcpy(destination, source, static_cast<std::size_t>(count * size));
      return;
    }
    if (source_stride == 0) return fill_row<size>(destination, source, count);
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(destination + i * size, source + i * source_stride, size);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    Item<size> value;
    std::memcpy(&value, source + i * source_stride, size);
    std::memcpy(destination + i * destination_stride, &value, size);
  }
}

/// Copies squares whose columns are contiguous in the source through memory that stays near: so each of the source's
/// cache lines is read once, even if all columns fall into the same few sets of the cache.
template <int size>
void copy_transposed(const StridedRows<std::byte>& destination, const StridedRows<const std::byte>& source,
                     std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t square = size == 8 ? 32 : 64;
  std::byte near[square][square * size + 16];  // the padding spreads a row over the cache's sets
  for (std::int64_t row = 0; row < rows; row += square) {
    const std::int64_t height = std::min(square, rows - row);
    for (std::int64_t column = 0; column < columns; column += square) {
      const std::int64_t width = std::min(square, columns - column);
      const std::byte* from = source.data + row * size + column * source.column_stride;
      for (std::int64_t i = 0; i < width; ++i) {
        std::memcpy(near[i], from + i * source.column_stride, static_cast<std::size_t>(height * size));
      }
      std::byte* to = destination.data + row * destination.row_stride + column * size;
      for (std::int64_t k = 0; k < height; ++k) {
        for (std::int64_t i = 0; i < width; ++i)
          std::memcpy(to + k * destination.row_stride + i * size, near[i] + k * size, size);
      }
    }
  }
}

template <int size>
void copy_rows(const StridedRows<std::byte>& destination, const StridedRows<const std::byte>& source, std::int64_t rows,
               std::int64_t columns) {
  const bool transposed =
      source.row_stride == size && destination.column_stride == size && source.column_stride != size;
  if (transposed && rows >= 8 && columns >= 8) return copy_transposed<size>(destination, source, rows, columns);
  for (std::int64_t row = 0; row < rows; ++row) {
    copy_row<size>(destination.data + row * destination.row_stride, destination.column_stride,
                   source.data + row * source.row_stride, source.column_stride, columns);
  }
}

}  // namespace

void strided_copy(const StridedRows<std::byte>& destination, const StridedRows<const std::byte>& source,
                  std::int64_t rows, std::int64_t columns, std::int64_t item_size) {
  switch (item_size) {
    case 1: return copy_rows<1>(destination, source, rows, columns);
    case 2: return copy_rows<2>(destination, source, rows, columns);
    case 4: return copy_rows<4>(destination, source, rows, columns);
    case 8: return copy_rows<8>(destination, source, rows, columns);
    default: __builtin_unreachable();
  }
}

}  // namespace stretto
