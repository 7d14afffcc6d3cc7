#include <stretto/base/error.h>
#include <stretto/ops/arithmetic.h>
#include <stretto/ops/comparison.h>
#include <stretto/ops/creation.h>
#include <stretto/ops/logical.h>
#include <stretto/ops/reduction.h>
#include <stretto/ops/unary.h>

#include "ops/elementwise.h"

namespace stretto {

Tensor eq(const Operand& a, const Operand& b) { return elementwise_test(operator_kernel<"eq">(), a, b); }
Tensor ne(const Operand& a, const Operand& b) { return elementwise_test(operator_kernel<"ne">(), a, b); }
Tensor lt(const Operand& a, const Operand& b) { return elementwise_test(operator_kernel<"lt">(), a, b); }
Tensor le(const Operand& a, const Operand& b) { return elementwise_test(operator_kernel<"le">(), a, b); }
Tensor gt(const Operand& a, const Operand& b) { return elementwise_test(operator_kernel<"gt">(), a, b); }
Tensor ge(const Operand& a, const Operand& b) { return elementwise_test(operator_kernel<"ge">(), a, b); }

Tensor isnan(const Operand& x) { return elementwise_test(operator_kernel<"isnan">(), x); }
Tensor isinf(const Operand& x) { return elementwise_test(operator_kernel<"isinf">(), x); }
Tensor isfinite(const Operand& x) { return elementwise_test(operator_kernel<"isfinite">(), x); }

namespace {

/// `isclose` under the name of the operator that asks.
Tensor close(const char* name, const Operand& a, const Operand& b, double rtol, double atol, bool equal_nan) {
  const CallSite& site = a.site();
  return in_operator(name, site, [&] {
    const Tensor same = eq(a, b);
    // Distances of integers would wrap.
    const DType common = common_dtype(a, b);
    const DType dtype = is_floating(common) ? common : DType::float64;
    const auto floating = [&](const Operand& x) {
      return x.is_tensor() ? x.tensor().to(dtype, site) : full({}, x.scalar(), same.device(), dtype, site);
    };
    const Tensor first = floating(a);
    const Tensor second = floating(b);
    const auto on = [&site](const Tensor& tensor) { return Operand(tensor, site); };

    const Tensor distance = abs(on(sub(on(first), on(second))));
    const Tensor allowed = add(on(mul(on(abs(on(second))), rtol)), atol);
    const Tensor near = logical_and(on(isfinite(on(distance))), on(le(on(distance), on(allowed))));
    Tensor result = logical_or(on(same), on(near));
    if (!equal_nan) return result;
    return logical_or(on(result), on(logical_and(on(isnan(on(first))), on(isnan(on(second))))));
  });
}

}  // namespace

Tensor isclose(const Operand& a, const Operand& b, double rtol, double atol, bool equal_nan) {
  return close("isclose", a, b, rtol, atol, equal_nan);
}

bool allclose(const Operand& a, const Operand& b, double rtol, double atol, bool equal_nan) {
  const Tensor each = close("allclose", a, b, rtol, atol, equal_nan);
  return all(Operand(each, a.site())).item<bool>(a.site());
}

bool equal(const Operand& a, const Operand& b) {
  const CallSite& site = a.site();
  const Tensor& x = require_tensor(a, "equal");
  const Tensor& y = require_tensor(b, "equal");
  if (x.device() == y.device() && !(x.shape() == y.shape())) return false;
  const Tensor each = in_operator("equal", site, [&] { return eq(a, b); });
  return all(Operand(each, site)).item<bool>(site);
}

}  // namespace stretto
