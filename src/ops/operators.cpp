#include <stretto/ops/arithmetic.h>
#include <stretto/ops/comparison.h>
#include <stretto/ops/logical.h>
#include <stretto/ops/unary.h>
#include <stretto/tensor/tensor_operators.h>

namespace stretto {

Tensor operator+(const Operand& a, const Operand& b) { return add(a, b); }
Tensor operator-(const Operand& a, const Operand& b) { return sub(a, b); }
Tensor operator*(const Operand& a, const Operand& b) { return mul(a, b); }
Tensor operator/(const Operand& a, const Operand& b) { return div(a, b); }
Tensor operator%(const Operand& a, const Operand& b) { return remainder(a, b); }

Tensor operator==(const Operand& a, const Operand& b) { return eq(a, b); }
Tensor operator!=(const Operand& a, const Operand& b) { return ne(a, b); }
Tensor operator<(const Operand& a, const Operand& b) { return lt(a, b); }
Tensor operator<=(const Operand& a, const Operand& b) { return le(a, b); }
Tensor operator>(const Operand& a, const Operand& b) { return gt(a, b); }
Tensor operator>=(const Operand& a, const Operand& b) { return ge(a, b); }

Tensor operator&(const Operand& a, const Operand& b) { return bitwise_and(a, b); }
Tensor operator|(const Operand& a, const Operand& b) { return bitwise_or(a, b); }
Tensor operator^(const Operand& a, const Operand& b) { return bitwise_xor(a, b); }

Tensor operator-(const Operand& x) { return neg(x); }
Tensor operator~(const Operand& x) { return bitwise_not(x); }
Tensor operator!(const Operand& x) { return logical_not(x); }

}  // namespace stretto
