#include <limits>
#include <string>

#include <stretto/base/error.h>
#include <stretto/ops/selection.h>

#include "ops/elementwise.h"

namespace stretto {

namespace {

void check_bool(const Operand& operand, const char* what, const char* operator_name) {
  const DType dtype = require_tensor(operand, operator_name).dtype();
  if (dtype == DType::bool_) return;
  throw DTypeError(operator_name, std::string(what) + " must be bool, not " + std::string(name(dtype)), operand.site());
}

void check_bound(const Operand& bound, DType dtype, const char* name) {
  if (!bound.is_tensor()) check_representable(bound.scalar(), dtype, name, bound.site());
}

/// What no value of `dtype` is beyond.
Scalar limit(DType dtype, bool upper) {
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) -> Scalar {
    using Limits = std::numeric_limits<T>;
    if constexpr (Limits::has_infinity) {
      const double infinity = std::numeric_limits<double>::infinity();
      return upper ? infinity : -infinity;
    } else {
      return upper ? Limits::max() : Limits::lowest();
    }
  });
}

}  // namespace

Tensor where(const Operand& condition, const Operand& a, const Operand& b) {
  const OperatorKernel kernel = operator_kernel<"where">();
  check_bool(condition, "the condition", kernel.name);
  if (a.is_tensor() || b.is_tensor()) check_operands(kernel, a, b);
  const DType dtype = common_dtype(a, b);
  return elementwise(kernel, condition.site(), dtype, {{condition, DType::bool_}, {a, dtype}, {b, dtype}});
}

Tensor masked_fill(const Operand& x, const Operand& mask, const Operand& value) {
  const OperatorKernel kernel = operator_kernel<"where">().called("masked_fill");
  const CallSite& site = x.site();
  const DType dtype = require_tensor(x, kernel.name).dtype();
  check_bool(mask, "the mask", kernel.name);
  if (!value.is_tensor()) {
    check_representable(value.scalar(), dtype, kernel.name, site);
  } else if (const Shape& shape = require_tensor(value, kernel.name).shape(); shape.rank() > 0) {
    throw ShapeError(kernel.name, "the value must be one number, not of shape " + to_string(shape), site);
  }
  return elementwise(kernel, site, dtype, {{mask, DType::bool_}, {value, dtype}, {x, dtype}});
}

Tensor clamp(const Operand& x, const Operand& low, const Operand& high) {
  const OperatorKernel kernel = operator_kernel<"clamp">();
  require_tensor(x, kernel.name);
  if (low.is_tensor()) require_tensor(low, kernel.name);
  if (high.is_tensor()) require_tensor(high, kernel.name);
  const DType dtype = computing_dtype(Takes::numbers, common_dtype({&x, &low, &high}), kernel.name, x.site());
  check_bound(low, dtype, kernel.name);
  check_bound(high, dtype, kernel.name);
  return elementwise(kernel, x.site(), dtype, {{x, dtype}, {low, dtype}, {high, dtype}});
}

Tensor clamp_min(const Operand& x, const Operand& low) {
  const OperatorKernel kernel = operator_kernel<"clamp">().called("clamp_min");
  require_tensor(x, kernel.name);
  check_operands(kernel, x, low);
  const DType dtype = computing_dtype(Takes::numbers, common_dtype(x, low), kernel.name, x.site());
  check_bound(low, dtype, kernel.name);
  return elementwise(kernel, x.site(), dtype, {{x, dtype}, {low, dtype}, {limit(dtype, true), dtype}});
}

Tensor clamp_max(const Operand& x, const Operand& high) {
  const OperatorKernel kernel = operator_kernel<"clamp">().called("clamp_max");
  require_tensor(x, kernel.name);
  check_operands(kernel, x, high);
  const DType dtype = computing_dtype(Takes::numbers, common_dtype(x, high), kernel.name, x.site());
  check_bound(high, dtype, kernel.name);
  return elementwise(kernel, x.site(), dtype, {{x, dtype}, {limit(dtype, false), dtype}, {high, dtype}});
}

}  // namespace stretto
