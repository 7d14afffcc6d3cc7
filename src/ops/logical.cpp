#include <stretto/ops/logical.h>

#include "ops/elementwise.h"

namespace stretto {

Tensor logical_and(const Operand& a, const Operand& b) {
  return elementwise_test(operator_kernel<"logical_and">(), a, b);
}
Tensor logical_or(const Operand& a, const Operand& b) {
  return elementwise_test(operator_kernel<"logical_or">(), a, b);
}
Tensor logical_xor(const Operand& a, const Operand& b) {
  return elementwise_test(operator_kernel<"logical_xor">(), a, b);
}
Tensor logical_not(const Operand& x) { return elementwise_test(operator_kernel<"logical_not">(), x); }

Tensor bitwise_and(const Operand& a, const Operand& b) {
  return elementwise(operator_kernel<"bitwise_and">(), a, b, Takes::bits);
}
Tensor bitwise_or(const Operand& a, const Operand& b) {
  return elementwise(operator_kernel<"bitwise_or">(), a, b, Takes::bits);
}
Tensor bitwise_xor(const Operand& a, const Operand& b) {
  return elementwise(operator_kernel<"bitwise_xor">(), a, b, Takes::bits);
}
Tensor bitwise_not(const Operand& x) { return elementwise(operator_kernel<"bitwise_not">(), x, Takes::bits); }

}  // namespace stretto
