#include <stretto/base/error.h>
#include <stretto/ops/arithmetic.h>

#include "ops/elementwise.h"

namespace stretto {

namespace {

void check_no_bool(const Operand& operand, const char* name, const CallSite& site) {
  const DType dtype = operand.is_tensor() ? operand.tensor().dtype() : operand.scalar().dtype();
  if (dtype != DType::bool_) return;
  throw DTypeError(name, "bool cannot be subtracted: logical_xor tells what differs, logical_not inverts", site);
}

}  // namespace

Tensor add(const Operand& a, const Operand& b) {
  return elementwise(operator_kernel<"add">(), a, b, Takes::everything);
}

Tensor sub(const Operand& a, const Operand& b) {
  const OperatorKernel kernel = operator_kernel<"sub">();
  check_operands(kernel, a, b);
  check_no_bool(a, kernel.name, a.site());
  check_no_bool(b, kernel.name, a.site());
  return elementwise(kernel, a, b, Takes::numbers);
}

Tensor mul(const Operand& a, const Operand& b) {
  return elementwise(operator_kernel<"mul">(), a, b, Takes::everything);
}

Tensor div(const Operand& a, const Operand& b) { return elementwise(operator_kernel<"div">(), a, b, Takes::as_floats); }

Tensor floor_divide(const Operand& a, const Operand& b) {
  return elementwise(operator_kernel<"floor_divide">(), a, b, Takes::numbers);
}

Tensor remainder(const Operand& a, const Operand& b) {
  return elementwise(operator_kernel<"remainder">(), a, b, Takes::numbers);
}

Tensor pow(const Operand& a, const Operand& b) {
  const OperatorKernel kernel = operator_kernel<"pow">();
  check_operands(kernel, a, b);
  if (!b.is_tensor() && b.scalar().dtype() == DType::int64 && !is_floating(a.tensor().dtype()) &&
      b.scalar().to<std::int64_t>() < 0) {
    throw UsageError(kernel.name,
                     "integers cannot be raised to the negative power " + to_string(b.scalar()) +
                         ": convert to a floating type first",
                     a.site());
  }
  return elementwise(kernel, a, b, Takes::numbers);
}

Tensor maximum(const Operand& a, const Operand& b) {
  return elementwise(operator_kernel<"maximum">(), a, b, Takes::everything);
}

Tensor minimum(const Operand& a, const Operand& b) {
  return elementwise(operator_kernel<"minimum">(), a, b, Takes::everything);
}

}  // namespace stretto
