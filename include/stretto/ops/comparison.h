#pragma once

#include <stretto/base/export.h>
#include <stretto/tensor/operand.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

// Questions asked of each element. The result is a new contiguous tensor of bool, on the operands' device. Nothing
// blocks.

// Of two operands, broadcast to one shape and compared in their common type, as in PyTorch: a number that is no uint8
// wraps round before it is compared with a uint8 tensor. Comparing with NaN is false, but for `ne`. Each throws
// ShapeError when the shapes cannot be broadcast, DeviceError when the devices differ, UsageError when there is no
// tensor among them. They are
// `== != < <= > >=`.

STRETTO_API Tensor eq(const Operand& a, const Operand& b);
STRETTO_API Tensor ne(const Operand& a, const Operand& b);
STRETTO_API Tensor lt(const Operand& a, const Operand& b);
STRETTO_API Tensor le(const Operand& a, const Operand& b);
STRETTO_API Tensor gt(const Operand& a, const Operand& b);
STRETTO_API Tensor ge(const Operand& a, const Operand& b);

// Of one tensor of any type. UsageError when x is a number or an undefined tensor.

STRETTO_API Tensor isnan(const Operand& x);
/// Whether it is infinite, of either sign.
STRETTO_API Tensor isinf(const Operand& x);
/// Whether it is neither infinite nor NaN.
STRETTO_API Tensor isfinite(const Operand& x);

/// Whether |a - b| <= atol + rtol * |b|, or both are equal (infinities are close to themselves alone), or both are NaN
/// where `equal_nan` says so. Throws as `eq` does.
STRETTO_API Tensor isclose(const Operand& a, const Operand& b, double rtol = 1e-5, double atol = 1e-8,
                           bool equal_nan = false);

// These two read values: they block until both tensors are there, and throw the error of an operation that failed to
// make one.

/// Whether all elements are close, as `isclose` says, after broadcasting.
STRETTO_API bool allclose(const Operand& a, const Operand& b, double rtol = 1e-5, double atol = 1e-8,
                          bool equal_nan = false);
/// Whether shapes and all elements are equal, compared in the common type; NaN is not equal to itself. Both are tensors
/// (UsageError) on one device (DeviceError).
STRETTO_API bool equal(const Operand& a, const Operand& b);

}  // namespace stretto
