#include "kernels/cpu/elementwise_plan.h"

#include <algorithm>
#include <cstdlib>

namespace stretto {

namespace {

constexpr std::int64_t transposed_tile = 64;            // rows and columns of a tile, and of nothing larger
constexpr std::int64_t transposed_chunk_columns = 512;  // so that a chunk has rows enough to use up cache lines

}  // namespace

ElementwisePlan::ElementwisePlan(const Array& output, std::span<const Array> inputs, std::int64_t grain)
    : operands_(1 + static_cast<int>(inputs.size())), rank_(0), chunks_(1) {
  add_dimensions(output, inputs);
  if (chunks_ == 0) return;
  sort_by_output();
  merge();
  const bool transposed = bring_transposed_dimension_inside();
  cut_into_chunks(grain, transposed);
}

void ElementwisePlan::add_dimensions(const Array& output, std::span<const Array> inputs) {
  for (int operand = 0; operand < operands_; ++operand) {
    const Array& array = operand == 0 ? output : inputs[operand - 1];
    bases_[operand] = array.data;
    item_sizes_[operand] = static_cast<std::int64_t>(stretto::item_size(array.dtype));
  }
  for (int axis = 0; axis < output.rank; ++axis) {
    const std::int64_t extent = output.shape[axis];
    if (extent == 0) chunks_ = 0;
    if (extent == 1) continue;
    extents_[rank_] = extent;
    const bool backwards = output.strides[axis] < 0;
    for (int operand = 0; operand < operands_; ++operand) {
      const Array& array = operand == 0 ? output : inputs[operand - 1];
      const std::int64_t stride = array.constant ? 0 : array.strides[axis] * item_sizes_[operand];
      if (backwards) bases_[operand] += (extent - 1) * stride;
      strides_[operand][rank_] = backwards ? -stride : stride;
    }
    ++rank_;
  }
}

void ElementwisePlan::move_dimension(int from, int to) {
  const auto move = [&](std::int64_t* values) {
    if (from > to) {
      std::rotate(values + to, values + from, values + from + 1);
    } else {
      std::rotate(values + from, values + from + 1, values + to + 1);
    }
  };
  move(extents_);
  for (int operand = 0; operand < operands_; ++operand) move(strides_[operand]);
}

void ElementwisePlan::sort_by_output() {
  for (int next = 1; next < rank_; ++next) {
    int place = next;
    while (place > 0 && strides_[0][place - 1] < strides_[0][next]) --place;
    if (place != next) move_dimension(next, place);
  }
}

void ElementwisePlan::merge() {
  int kept = 0;
  for (int next = 1; next < rank_; ++next) {
    bool mergeable = true;
    for (int operand = 0; operand < operands_; ++operand) {
      mergeable &= strides_[operand][kept] == strides_[operand][next] * extents_[next];
    }
    if (mergeable) {
      extents_[kept] *= extents_[next];
    } else {
      ++kept;
      extents_[kept] = extents_[next];
    }
    for (int operand = 0; operand < operands_; ++operand) strides_[operand][kept] = strides_[operand][next];
  }
  if (rank_ > 0) rank_ = kept + 1;
  // Tiles need two dimensions.
  while (rank_ < 2) {
    extents_[rank_] = 1;
    for (int operand = 0; operand < operands_; ++operand) strides_[operand][rank_] = 0;
    move_dimension(rank_, 0);
    ++rank_;
  }
}

bool ElementwisePlan::bring_transposed_dimension_inside() {
  for (int operand = 1; operand < operands_; ++operand) {
    const std::int64_t size = item_sizes_[operand];
    if (std::abs(column_stride(operand)) <= size) continue;
    for (int axis = rank_ - 2; axis >= 0; --axis) {
      if (std::abs(strides_[operand][axis]) != size || extents_[axis] == 1) continue;
      move_dimension(axis, rank_ - 2);
      return true;
    }
  }
  return false;
}

ElementwisePlan::Blocks ElementwisePlan::Blocks::cut(std::int64_t extent, std::int64_t size) {
  size = std::clamp<std::int64_t>(size, 1, extent);
  return {size, (extent + size - 1) / size};
}

void ElementwisePlan::cut_into_chunks(std::int64_t grain, bool transposed) {
  columns_ = Blocks::cut(extents_[rank_ - 1], transposed ? transposed_chunk_columns : grain);
  const std::int64_t rows = grain / columns_.size;
  rows_ = Blocks::cut(extents_[rank_ - 2], transposed ? std::max(rows, transposed_tile) : rows);
  std::int64_t outer = 1;
  for (int axis = 0; axis < rank_ - 2; ++axis) outer *= extents_[axis];
  outer_ = Blocks::cut(outer, grain / (columns_.size * rows_.size));
  tile_columns_ = transposed ? std::min(transposed_tile, columns_.size) : columns_.size;
  chunks_ = outer_.count * rows_.count * columns_.count;
}

void ElementwisePlan::visit_chunk(std::int64_t chunk, FunctionRef<void(const Tile&)> visit) const {
  const std::int64_t column_begin = chunk % columns_.count * columns_.size;
  const std::int64_t column_end = std::min(column_begin + columns_.size, extents_[rank_ - 1]);
  chunk /= columns_.count;
  const std::int64_t row_begin = chunk % rows_.count * rows_.size;
  const std::int64_t row_end = std::min(row_begin + rows_.size, extents_[rank_ - 2]);
  const std::int64_t outer_begin = chunk / rows_.count * outer_.size;

  std::byte* origins[max_operands];
  std::int64_t position[max_rank];
  std::int64_t rest = outer_begin;
  for (int operand = 0; operand < operands_; ++operand)
    origins[operand] = bases_[operand] + row_begin * row_stride(operand);
  std::int64_t outer_total = 1;
  for (int axis = rank_ - 3; axis >= 0; --axis) {
    outer_total *= extents_[axis];
    position[axis] = rest % extents_[axis];
    rest /= extents_[axis];
    for (int operand = 0; operand < operands_; ++operand) origins[operand] += position[axis] * strides_[operand][axis];
  }
  const std::int64_t outer_end = std::min(outer_begin + outer_.size, outer_total);

  Tile tile;
  tile.rows = row_end - row_begin;
  for (std::int64_t outer = outer_begin; outer < outer_end; ++outer) {
    for (std::int64_t column = column_begin; column < column_end; column += tile_columns_) {
      tile.columns = std::min(tile_columns_, column_end - column);
      for (int operand = 0; operand < operands_; ++operand) {
        tile.pointers[operand] = origins[operand] + column * column_stride(operand);
      }
      visit(tile);
    }
    for (int axis = rank_ - 3; axis >= 0; --axis) {
      const bool carry = ++position[axis] == extents_[axis];
      const std::int64_t steps = carry ? 1 - extents_[axis] : 1;
      for (int operand = 0; operand < operands_; ++operand) origins[operand] += steps * strides_[operand][axis];
      if (!carry) break;
      position[axis] = 0;
    }
  }
}

}  // namespace stretto
