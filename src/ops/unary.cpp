#include <stretto/ops/unary.h>

#include "ops/elementwise.h"

namespace stretto {

Tensor neg(const Operand& x) { return elementwise(operator_kernel<"neg">(), x, Takes::numbers); }
Tensor abs(const Operand& x) { return elementwise(operator_kernel<"abs">(), x, Takes::numbers); }
Tensor sign(const Operand& x) { return elementwise(operator_kernel<"sign">(), x, Takes::numbers); }
Tensor square(const Operand& x) { return elementwise(operator_kernel<"square">(), x, Takes::numbers); }
Tensor floor(const Operand& x) { return elementwise(operator_kernel<"floor">(), x, Takes::numbers); }
Tensor ceil(const Operand& x) { return elementwise(operator_kernel<"ceil">(), x, Takes::numbers); }
Tensor round(const Operand& x) { return elementwise(operator_kernel<"round">(), x, Takes::numbers); }
Tensor trunc(const Operand& x) { return elementwise(operator_kernel<"trunc">(), x, Takes::numbers); }

Tensor exp(const Operand& x) { return elementwise(operator_kernel<"exp">(), x, Takes::as_floats); }
Tensor expm1(const Operand& x) { return elementwise(operator_kernel<"expm1">(), x, Takes::as_floats); }
Tensor log(const Operand& x) { return elementwise(operator_kernel<"log">(), x, Takes::as_floats); }
Tensor log1p(const Operand& x) { return elementwise(operator_kernel<"log1p">(), x, Takes::as_floats); }
Tensor log2(const Operand& x) { return elementwise(operator_kernel<"log2">(), x, Takes::as_floats); }
Tensor sqrt(const Operand& x) { return elementwise(operator_kernel<"sqrt">(), x, Takes::as_floats); }
Tensor rsqrt(const Operand& x) { return elementwise(operator_kernel<"rsqrt">(), x, Takes::as_floats); }
Tensor reciprocal(const Operand& x) { return elementwise(operator_kernel<"reciprocal">(), x, Takes::as_floats); }
Tensor sin(const Operand& x) { return elementwise(operator_kernel<"sin">(), x, Takes::as_floats); }
Tensor cos(const Operand& x) { return elementwise(operator_kernel<"cos">(), x, Takes::as_floats); }
Tensor tan(const Operand& x) { return elementwise(operator_kernel<"tan">(), x, Takes::as_floats); }
Tensor erf(const Operand& x) { return elementwise(operator_kernel<"erf">(), x, Takes::as_floats); }

}  // namespace stretto
