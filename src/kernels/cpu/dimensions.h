#pragma once

#include <cstdint>

#include <stretto/core/shape.h>

#include "kernels/kernel.h"

namespace stretto {

/// Dimensions of an array that are walked together, the outermost first; strides in elements.
struct Dimensions {
  int rank = 0;
  std::int64_t extents[max_rank];
  std::int64_t strides[max_rank];

  /// Adds an innermost dimension, as a part of the one before where that makes no difference.
  void append(std::int64_t extent, std::int64_t stride) {
    if (extent == 1) return;
    if (rank > 0 && strides[rank - 1] == extent * stride) {
      extents[rank - 1] *= extent;
      strides[rank - 1] = stride;
    } else {
      extents[rank] = extent;
      strides[rank++] = stride;
    }
  }
  std::int64_t count() const {
    std::int64_t count = 1;
    for (int i = 0; i < rank; ++i) count *= extents[i];
    return count;
  }
  /// Where the element of this index in C order lies.
  std::int64_t offset(std::int64_t index) const {
    std::int64_t offset = 0;
    for (int i = rank - 1; i > 0; --i) {
      offset += index % extents[i] * strides[i];
      index /= extents[i];
    }
    return rank > 0 ? offset + index * strides[0] : 0;
  }
};

/// All dimensions of an array but `axis`: its lines along the axis begin at their offsets.
inline Dimensions lines_along(const Array& array, std::int64_t axis) {
  Dimensions lines;
  for (int i = 0; i < array.rank; ++i) {
    if (i != axis) lines.append(array.shape[i], array.strides[i]);
  }
  return lines;
}

}  // namespace stretto
