#include <string>

#include <stretto/base/error.h>
#include <stretto/ops/softmax.h>

#include "ops/axis_operator.h"
#include "ops/operands.h"

namespace stretto {

namespace {

Tensor forward(const OperatorKernel& kernel, const Operand& x, std::int64_t axis) {
  const Tensor& tensor = require_tensor(x, kernel.name);
  const DType dtype = computing_dtype(Takes::floats, tensor.dtype(), kernel.name, x.site());
  return along_axis(kernel, x.site(), axis, dtype, {&tensor});
}

Tensor backward(const OperatorKernel& kernel, const Operand& grad, const Operand& y, std::int64_t axis) {
  const CallSite& site = grad.site();
  const Tensor& gradient = require_tensor(grad, kernel.name);
  const Tensor& result = require_tensor(y, kernel.name);
  const DType dtype = computing_dtype(Takes::floats, result.dtype(), kernel.name, site);
  if (gradient.dtype() != dtype) {
    throw DTypeError(
        kernel.name,
        "the gradient is " + std::string(name(gradient.dtype())) + " and the result " + std::string(name(dtype)), site);
  }
  if (!(gradient.shape() == result.shape())) {
    throw ShapeError(
        kernel.name,
        "the gradient is of shape " + to_string(gradient.shape()) + " and the result of " + to_string(result.shape()),
        site);
  }
  return along_axis(kernel, site, axis, dtype, {&gradient, &result});
}

}  // namespace

Tensor softmax(const Operand& x, std::int64_t axis) { return forward(operator_kernel<"softmax">(), x, axis); }

Tensor log_softmax(const Operand& x, std::int64_t axis) { return forward(operator_kernel<"log_softmax">(), x, axis); }

Tensor softmax_backward(const Operand& grad, const Operand& y, std::int64_t axis) {
  return backward(operator_kernel<"softmax_backward">(), grad, y, axis);
}

Tensor log_softmax_backward(const Operand& grad, const Operand& y, std::int64_t axis) {
  return backward(operator_kernel<"log_softmax_backward">(), grad, y, axis);
}

}  // namespace stretto
