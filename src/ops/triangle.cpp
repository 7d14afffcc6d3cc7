#include <stretto/base/error.h>
#include <stretto/ops/triangle.h>

#include "kernels/parameters.h"
#include "ops/operands.h"
#include "ops/operator_kernel.h"
#include "tensor/operator_call.h"

namespace stretto {

namespace {

Tensor triangle(const OperatorKernel& kernel, const Operand& x, std::int64_t diagonal) {
  const CallSite& site = x.site();
  const Tensor& tensor = require_tensor(x, kernel.name);
  if (tensor.rank() < 2) {
    throw ShapeError(kernel.name, "takes matrices, not shape " + to_string(tensor.shape()), site);
  }
  return in_operator(kernel.name, site, [&] {
    Tensor output = make_output(tensor.shape(), tensor.dtype(), tensor.device());
    OperatorCall call(kernel.name, kernel.row, site);
    call.write(output);
    call.read(tensor);
    call.parameters(TriangleParameters{diagonal});
    apply(call);
    return output;
  });
}

}  // namespace

Tensor tril(const Operand& x, std::int64_t diagonal) { return triangle(operator_kernel<"tril">(), x, diagonal); }

Tensor triu(const Operand& x, std::int64_t diagonal) { return triangle(operator_kernel<"triu">(), x, diagonal); }

}  // namespace stretto
