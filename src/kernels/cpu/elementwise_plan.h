#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <stretto/core/shape.h>

#include "base/function_ref.h"
#include "kernels/kernel.h"

namespace stretto {

/// The order in which a CPU kernel walks arrays of one shape, and how that walk is cut into chunks.
///
/// Dimensions of extent 1 are dropped, those the output runs through backwards are turned round, they are ordered by
/// the output's strides and merged where every operand allows it. What is left is walked as rectangular tiles of the
/// two innermost dimensions. If an input is transposed against the output, tiles are small squares, so that each of its
/// cache lines is used up while it is near.
///
/// Operand 0 is the output, operand i + 1 is input i. Everything is a function of shapes, strides and item sizes alone.
class ElementwisePlan {
 public:
  static constexpr int max_operands = 4;

  /// `rows` times `columns` elements; operand k has element (r, c) at
  /// `pointers[k] + r * row_stride(k) + c * column_stride(k)`.
  struct Tile {
    std::byte* pointers[max_operands];
    std::int64_t rows;
    std::int64_t columns;
  };

  /// All arrays have the output's shape (or are constants); `grain` is about how many elements a chunk should have.
  ElementwisePlan(const Array& output, std::span<const Array> inputs, std::int64_t grain);

  int operands() const { return operands_; }
  /// 0 if there are no elements.
  std::int64_t chunks() const { return chunks_; }
  /// In bytes.
  std::int64_t row_stride(int operand) const { return strides_[operand][rank_ - 2]; }
  std::int64_t column_stride(int operand) const { return strides_[operand][rank_ - 1]; }
  std::int64_t item_size(int operand) const { return item_sizes_[operand]; }

  /// Calls `visit` with the tiles of one chunk, 0 <= chunk < chunks().
  void visit_chunk(std::int64_t chunk, FunctionRef<void(const Tile&)> visit) const;

 private:
  struct Blocks {
    std::int64_t size;   // elements of a dimension (or of all outer ones together) that one chunk takes
    std::int64_t count;  // blocks that cover the dimension

    static Blocks cut(std::int64_t extent, std::int64_t size);
  };

  void add_dimensions(const Array& output, std::span<const Array> inputs);
  void sort_by_output();
  void merge();
  bool bring_transposed_dimension_inside();
  void cut_into_chunks(std::int64_t grain, bool transposed);
  void move_dimension(int from, int to);

  int operands_;
  int rank_;  // at least 2 once the plan is made
  std::int64_t extents_[max_rank + 2];
  std::int64_t strides_[max_operands][max_rank + 2];  // bytes
  std::byte* bases_[max_operands];
  std::int64_t item_sizes_[max_operands];
  Blocks outer_;
  Blocks rows_;
  Blocks columns_;
  std::int64_t tile_columns_;
  std::int64_t chunks_;
};

}  // namespace stretto
