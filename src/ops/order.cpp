#include <string>

#include <stretto/base/error.h>
#include <stretto/ops/order.h>

#include "kernels/parameters.h"
#include "ops/operands.h"
#include "ops/operator_kernel.h"
#include "tensor/operator_call.h"

namespace stretto {

namespace {

/// The first `count` positions of the axis once x is in order; the axis counts from the front.
SortResult ordered(const OperatorKernel& kernel, const CallSite& site, const Tensor& x, int axis, std::int64_t count,
                   bool descending) {
  return in_operator(kernel.name, site, [&] {
    Shape shape = x.shape();
    if (shape.rank() > 0) shape[axis] = count;
    SortResult result{make_output(shape, x.dtype(), x.device()), make_output(shape, DType::int64, x.device())};
    const Tensor values = with_an_axis(result.values, site);
    const Tensor indices = with_an_axis(result.indices, site);
    const Tensor input = with_an_axis(x, site);
    OperatorCall call(kernel.name, kernel.row, site);
    call.write(values);
    call.write(indices);
    call.read(input);
    call.parameters(AxisParameters{.axis = axis, .descending = descending});
    apply(call);
    return result;
  });
}

SortResult sorted(const OperatorKernel& kernel, const Operand& x, std::int64_t axis, bool descending) {
  const Tensor& tensor = require_tensor(x, kernel.name);
  const int along = checked_axis(axis, tensor.shape(), kernel.name, x.site());
  const std::int64_t extent = tensor.rank() > 0 ? tensor.shape()[along] : 1;
  return ordered(kernel, x.site(), tensor, along, extent, descending);
}

}  // namespace

SortResult sort(const Operand& x, std::int64_t axis, bool descending) {
  return sorted(operator_kernel<"sort">(), x, axis, descending);
}

Tensor argsort(const Operand& x, std::int64_t axis, bool descending) {
  return sorted(operator_kernel<"sort">().called("argsort"), x, axis, descending).indices;
}

SortResult topk(const Operand& x, std::int64_t k, std::int64_t axis, bool largest) {
  const OperatorKernel kernel = operator_kernel<"topk">();
  const Tensor& tensor = require_tensor(x, kernel.name);
  if (tensor.rank() == 0) throw ShapeError(kernel.name, "takes a tensor with at least one axis", x.site());
  const int along = checked_axis(axis, tensor.shape(), kernel.name, x.site());
  if (k < 0 || k > tensor.shape()[along]) {
    throw ShapeError(kernel.name,
                     "there are no " + std::to_string(k) + " elements along axis " + std::to_string(axis) +
                         " of shape " + to_string(tensor.shape()),
                     x.site());
  }
  return ordered(kernel, x.site(), tensor, along, k, largest);
}

}  // namespace stretto
