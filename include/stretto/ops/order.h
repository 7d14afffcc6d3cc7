#pragma once

#include <cstdint>

#include <stretto/base/export.h>
#include <stretto/tensor/operand.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

/// Values in order, and the position along the axis, as int64, where each came from.
struct SortResult {
  Tensor values;
  Tensor indices;
};

// Elements put in order along an axis. Results are new contiguous tensors. Equal elements keep their order. NaN counts
// as larger than every number. IndexError for an axis that x does not have, UsageError when x is a number or an
// undefined tensor. Nothing blocks.

STRETTO_API SortResult sort(const Operand& x, std::int64_t axis = -1, bool descending = false);
/// The indices of `sort`.
STRETTO_API Tensor argsort(const Operand& x, std::int64_t axis = -1, bool descending = false);
/// The k largest (or smallest) along the axis, the most extreme first. ShapeError unless
/// 0 <= k <= the axis' extent, and for rank 0.
STRETTO_API SortResult topk(const Operand& x, std::int64_t k, std::int64_t axis = -1, bool largest = true);

}  // namespace stretto
