#include <stretto/base/error.h>
#include <stretto/ops/scan.h>

#include "ops/axis_operator.h"
#include "ops/operands.h"

namespace stretto {

namespace {

Tensor scan(const OperatorKernel& kernel, const Operand& x, std::int64_t axis, std::optional<DType> wanted) {
  const CallSite& site = x.site();
  const Tensor& tensor = require_tensor(x, kernel.name);
  checked_axis(axis, tensor.shape(), kernel.name, site);
  const DType dtype = total_dtype(tensor.dtype(), wanted, kernel.name, site);
  const Tensor converted = tensor.to(dtype, site);
  return along_axis(kernel, site, axis, dtype, {&converted});
}

}  // namespace

Tensor cumsum(const Operand& x, std::int64_t axis, std::optional<DType> dtype) {
  return scan(operator_kernel<"cumsum">(), x, axis, dtype);
}

Tensor cumprod(const Operand& x, std::int64_t axis, std::optional<DType> dtype) {
  return scan(operator_kernel<"cumprod">(), x, axis, dtype);
}

}  // namespace stretto
