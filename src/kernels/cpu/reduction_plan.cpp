#include "kernels/cpu/reduction_plan.h"

#include <algorithm>
#include <utility>

#include "kernels/cpu/chunks.h"

namespace stretto {

namespace {

constexpr std::int64_t chunk_elements = 32768;
// Fewer results side by side than this are not worth a loop across them, unless there is nothing between them.
constexpr std::int64_t narrowest = 8;

}  // namespace

ReductionPlan::ReductionPlan(const Array& input, const Array& output) {
  for (int axis = 0; axis < input.rank; ++axis) {
    const std::int64_t extent = input.shape[axis];
    const std::int64_t stride = input.strides[axis];
    if (extent == 1) continue;
    if (output.shape[axis] == 1) {
      reduced_.append(extent, stride);
    } else {
      const int last = kept_.rank - 1;
      if (last >= 0 && kept_.strides[last] == extent * stride &&
          output_.strides[last] == extent * output.strides[axis]) {
        kept_.extents[last] *= extent;
        kept_.strides[last] = stride;
        output_.extents[last] *= extent;
        output_.strides[last] = output.strides[axis];
      } else {
        kept_.extents[kept_.rank] = output_.extents[kept_.rank] = extent;
        kept_.strides[kept_.rank] = stride;
        output_.strides[kept_.rank++] = output.strides[axis];
        output_.rank = kept_.rank;
      }
    }
  }
  results_ = kept_.count();
  reduced_count_ = reduced_.count();
  blocks_ = std::max<std::int64_t>(1, divide_up(reduced_count_, block));

  const bool reduces_neighbours = reduced_.rank == 0 || reduced_.strides[reduced_.rank - 1] == 1;
  for (int i = 0; i < kept_.rank && !reduces_neighbours; ++i) {
    const bool no_gaps = reduced_.strides[reduced_.rank - 1] == kept_.extents[i];
    if (kept_.strides[i] != 1 || (kept_.extents[i] < narrowest && !no_gaps)) continue;
    const int last = kept_.rank - 1;
    std::swap(kept_.extents[i], kept_.extents[last]);
    std::swap(kept_.strides[i], kept_.strides[last]);
    std::swap(output_.extents[i], output_.extents[last]);
    std::swap(output_.strides[i], output_.strides[last]);
    columns_ = std::max<std::int64_t>(1, kept_.extents[last]);
    column_groups_ = divide_up(columns_, max_width);
    break;
  }
}

std::int64_t ReductionPlan::units_a_chunk() const {
  const std::int64_t elements = std::min(columns_, max_width) * std::clamp<std::int64_t>(reduced_count_, 1, block);
  return std::max<std::int64_t>(1, chunk_elements / elements);
}

ReductionPlan::Unit ReductionPlan::unit(std::int64_t index) const {
  const std::int64_t block_index = index % blocks_;
  index /= blocks_;
  const std::int64_t first_column = index % column_groups_ * max_width;
  const std::int64_t first_result = index / column_groups_ * columns_ + first_column;
  return {.first_result = first_result,
          .width = std::min(max_width, columns_ - first_column),
          .block = block_index,
          .terms = terms(block_index),
          .base = kept_.offset(first_result)};
}

void ReductionPlan::visit_block(std::int64_t block_index,
                                FunctionRef<void(std::int64_t, std::int64_t, std::int64_t)> visit) const {
  if (reduced_.rank == 0) return visit(0, 1, 1);
  const std::int64_t extent = reduced_.extents[reduced_.rank - 1];
  const std::int64_t stride = reduced_.strides[reduced_.rank - 1];
  std::int64_t term = block_index * block;
  for (const std::int64_t end = term + terms(block_index); term < end;) {
    const std::int64_t count = std::min(extent - term % extent, end - term);
    visit(reduced_.offset(term), stride, count);
    term += count;
  }
}

}  // namespace stretto
