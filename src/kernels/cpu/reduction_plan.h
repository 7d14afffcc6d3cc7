#pragma once

#include <algorithm>
#include <cstdint>

#include "base/function_ref.h"
#include "kernels/cpu/dimensions.h"
#include "kernels/kernel.h"

namespace stretto {

/// How a reduction walks its input.
///
/// Each result is a tree over its elements in logical C order, the same tree for every layout: blocks of `block`
/// elements, within a block `lanes` interleaved sums, folded in halves; then blocks are folded in pairs of neighbours,
/// again and again. So no layout, vector width or thread changes a result, and long sums lose little.
///
/// What is computed at once is a unit: one block of one result, or of up to `max_width` results whose elements lie side
/// by side.
class ReductionPlan {
 public:
  static constexpr std::int64_t block = 1024;
  static constexpr std::int64_t lanes = 16;
  static constexpr std::int64_t max_width = 128;

  /// An axis of `input` is reduced where `output` has extent 1.
  ReductionPlan(const Array& input, const Array& output);

  std::int64_t results() const { return results_; }
  /// Elements that each result is made of.
  std::int64_t reduced() const { return reduced_count_; }
  /// Blocks that each result is made of; an empty one where there are no elements.
  std::int64_t blocks() const { return blocks_; }
  /// Elements of each result in this block.
  std::int64_t terms(std::int64_t block_index) const { return std::min(block, reduced_count_ - block_index * block); }
  std::int64_t units() const { return results_ / columns_ * column_groups_ * blocks_; }
  /// About as many units as make a chunk of parallel work.
  std::int64_t units_a_chunk() const;

  struct Unit {
    std::int64_t first_result;
    std::int64_t width;  // results, one input element after another
    std::int64_t block;
    std::int64_t terms;  // elements of each result
    std::int64_t base;   // input offset of the first result's element 0, in elements
  };
  Unit unit(std::int64_t index) const;

  /// Calls `visit(offset, stride, count)` for stretches of a block's elements, which together are all of them, in
  /// order; `offset` counts elements from the result's element 0.
  void visit_block(std::int64_t block_index, FunctionRef<void(std::int64_t, std::int64_t, std::int64_t)> visit) const;

  /// Where a result lies in the output, in elements.
  std::int64_t output_offset(std::int64_t result) const { return output_.offset(result); }
  /// Where the elements of a result begin in the input, in elements.
  std::int64_t input_offset(std::int64_t result) const { return kept_.offset(result); }

 private:
  Dimensions kept_;     // strides of the input
  Dimensions output_;   // the same dimensions, strides of the output
  Dimensions reduced_;  // strides of the input
  std::int64_t results_;
  std::int64_t reduced_count_;
  std::int64_t blocks_;
  std::int64_t columns_ = 1;  // extent of the innermost kept dimension where results lie side by side
  std::int64_t column_groups_ = 1;
};

}  // namespace stretto
