#pragma once

#include <cstdint>

#include <stretto/base/export.h>
#include <stretto/tensor/operand.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

// Distributions along an axis, computed so that large values do not overflow, and their gradients. Results are new
// contiguous tensors of x's shape. Floating types alone (DTypeError); IndexError for an axis that x does not have,
// UsageError when an operand is a number or an undefined tensor. Nothing blocks.

/// exp(x) / sum(exp(x)) along the axis.
STRETTO_API Tensor softmax(const Operand& x, std::int64_t axis);
/// The logarithm of `softmax`.
STRETTO_API Tensor log_softmax(const Operand& x, std::int64_t axis);

// What reaches x of the gradient `grad` of the result y. Both have one shape and type (ShapeError, DTypeError).

/// With y = softmax(x, axis).
STRETTO_API Tensor softmax_backward(const Operand& grad, const Operand& y, std::int64_t axis);
/// With y = log_softmax(x, axis).
STRETTO_API Tensor log_softmax_backward(const Operand& grad, const Operand& y, std::int64_t axis);

}  // namespace stretto
