#include <stretto/ops/activation.h>

#include "ops/elementwise.h"

namespace stretto {

namespace {

Tensor backward(const OperatorKernel& kernel, const Operand& grad, const Operand& value) {
  require_tensor(grad, kernel.name);
  require_tensor(value, kernel.name);
  return elementwise(kernel, grad, value, Takes::floats);
}

}  // namespace

Tensor relu(const Operand& x) { return elementwise(operator_kernel<"relu">(), x, Takes::numbers); }
Tensor sigmoid(const Operand& x) { return elementwise(operator_kernel<"sigmoid">(), x, Takes::as_floats); }
Tensor tanh(const Operand& x) { return elementwise(operator_kernel<"tanh">(), x, Takes::as_floats); }

Tensor relu_backward(const Operand& grad, const Operand& x) {
  return backward(operator_kernel<"relu_backward">(), grad, x);
}
Tensor sigmoid_backward(const Operand& grad, const Operand& y) {
  return backward(operator_kernel<"sigmoid_backward">(), grad, y);
}
Tensor tanh_backward(const Operand& grad, const Operand& y) {
  return backward(operator_kernel<"tanh_backward">(), grad, y);
}

}  // namespace stretto
