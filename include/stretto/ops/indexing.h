#pragma once

#include <cstdint>

#include <stretto/base/export.h>
#include <stretto/core/scalar.h>
#include <stretto/tensor/operand.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

// Elements chosen by tensors of positions. Results are new contiguous tensors. Positions are integers of any type
// (DTypeError), counted from 0; one outside the axis, negative ones among them, is an IndexError when the value is
// read. All operands are tensors (UsageError) on one device (DeviceError). IndexError for an axis that x does not have.
// Nothing blocks.

/// Of `index`'s shape: element (i, j, k) is x[index[i, j, k], j, k] for axis 0, and likewise for others. x and index
/// have one rank, and index is nowhere longer than x but along the axis (ShapeError).
STRETTO_API Tensor gather(const Operand& x, std::int64_t axis, const Operand& index);

/// Slices of x along the axis, in the order of `index` (K) or of rank 0, which counts as one position.
STRETTO_API Tensor index_select(const Operand& x, std::int64_t axis, const Operand& index);

/// x, with alpha times slice i of `source` added at position index[i] of the axis, in order of i: repeated positions
/// add up. `source` has x's type (DTypeError) and shape, but for K = index's length on the axis (ShapeError).
STRETTO_API Tensor index_add(const Operand& x, std::int64_t axis, const Operand& index, const Operand& source,
                             const Scalar& alpha = 1);

/// Of shape index.shape + (classes), int64: 1 at position index[...] of the last axis, else 0. UsageError unless
/// classes > 0.
STRETTO_API Tensor one_hot(const Operand& index, std::int64_t classes);

}  // namespace stretto
