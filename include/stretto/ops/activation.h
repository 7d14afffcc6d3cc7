#pragma once

#include <stretto/base/export.h>
#include <stretto/tensor/operand.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

// The functions that neural networks put between layers, element by element, and their gradients. The result is a new
// contiguous tensor. Each throws UsageError when an operand is a number or an undefined tensor, DTypeError for a type
// it does not take. Nothing blocks.

/// max(x, 0); NaN for NaN. Keeps the type; not of bool.
STRETTO_API Tensor relu(const Operand& x);
/// 1 / (1 + exp(-x)). Integers and bool are converted to float32 first.
STRETTO_API Tensor sigmoid(const Operand& x);
/// The hyperbolic tangent. Integers and bool are converted to float32 first.
STRETTO_API Tensor tanh(const Operand& x);

// What reaches x of the gradient `grad` of the result. Both operands are floating and broadcast to one shape.

/// `grad` where x > 0 (or NaN), else 0.
STRETTO_API Tensor relu_backward(const Operand& grad, const Operand& x);
/// grad * y * (1 - y), with y = sigmoid(x).
STRETTO_API Tensor sigmoid_backward(const Operand& grad, const Operand& y);
/// grad * (1 - y * y), with y = tanh(x).
STRETTO_API Tensor tanh_backward(const Operand& grad, const Operand& y);

}  // namespace stretto
