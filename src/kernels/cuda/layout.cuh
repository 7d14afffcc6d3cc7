#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include <stretto/core/shape.h>

#include "kernels/kernel.h"

namespace stretto {

/// How `operands` arrays of one shape are walked together in C order: their dimensions, merged where that makes no
/// difference to any of them. Strides count elements. Passed to kernels by value.
template <int operands>
struct Layout {
  int rank = 0;
  bool narrow = true;  // indices fit 32 bits
  std::int64_t count = 1;
  std::int64_t extents[max_rank];
  std::int64_t strides[operands][max_rank];

  /// Adds an innermost dimension.
  void append(std::int64_t extent, const std::int64_t (&steps)[operands]) {
    count *= extent;
    narrow = count <= std::numeric_limits<std::int32_t>::max();
    if (extent == 1) return;
    bool merges = rank > 0;
    for (int i = 0; merges && i < operands; ++i) merges = strides[i][rank - 1] == extent * steps[i];
    const int at = merges ? rank - 1 : rank++;
    extents[at] = merges ? extents[at] * extent : extent;
    for (int i = 0; i < operands; ++i) strides[i][at] = steps[i];
  }

  /// Whether the operand's elements lie side by side in order.
  bool contiguous(int operand) const { return rank == 0 || (rank == 1 && strides[operand][0] == 1); }

  /// Calls `visit(dimension, index in it)` for the element of this number.
  template <class Visit>
  __device__ void visit(std::int64_t index, Visit visit) const {
    if (narrow) {
      auto rest = static_cast<std::uint32_t>(index);
      for (int i = rank - 1; i > 0; --i) {
        const auto extent = static_cast<std::uint32_t>(extents[i]);
        visit(i, static_cast<std::int64_t>(rest % extent));
        rest /= extent;
      }
      if (rank > 0) visit(0, static_cast<std::int64_t>(rest));
    } else {
      for (int i = rank - 1; i > 0; --i) {
        visit(i, index % extents[i]);
        index /= extents[i];
      }
      if (rank > 0) visit(0, index);
    }
  }

  /// Where the element of this number lies in one operand.
  __device__ std::int64_t offset(int operand, std::int64_t index) const {
    std::int64_t offset = 0;
    visit(index, [&](int i, std::int64_t at) { offset += at * strides[operand][i]; });
    return offset;
  }

  __device__ void offsets(std::int64_t index, std::int64_t (&out)[operands]) const {
    for (int k = 0; k < operands; ++k) out[k] = 0;
    visit(index, [&](int i, std::int64_t at) {
      for (int k = 0; k < operands; ++k) out[k] += at * strides[k][i];
    });
  }
};

/// All dimensions of arrays of one shape, but `skipped`.
template <class... Arrays>
Layout<1 + sizeof...(Arrays)> layout_of(std::int64_t skipped, const Array& first, const Arrays&... more) {
  Layout<1 + sizeof...(Arrays)> layout;
  for (int axis = 0; axis < first.rank; ++axis) {
    if (axis != skipped) layout.append(first.shape[axis], {first.strides[axis], more.strides[axis]...});
  }
  return layout;
}

constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Blocks of a grid for this many pieces of work; kernels stride over what is more.
inline unsigned grid_of(std::int64_t pieces) {
  return static_cast<unsigned>(std::clamp<std::int64_t>(pieces, 1, std::int64_t{1} << 30));
}

}  // namespace stretto
