#include <stretto/base/error.h>
#include <stretto/core/promotion.h>
#include <stretto/tensor/tensor.h>

#include "kernels/kernel.h"
#include "tensor/operator_call.h"
#include "tensor/tensor_implementation.h"

namespace stretto {

namespace {

const KernelRow& add_row = kernel_row("add");
const KernelRow& sub_row = kernel_row("sub");
const KernelRow& mul_row = kernel_row("mul");
const KernelRow& div_row = kernel_row("div");

/// PyTorch's rule for results written in place: a kind may widen (bool, integer, floating), not narrow.
bool can_hold(DType to, DType from) {
  if (is_floating(from)) return is_floating(to);
  return to != DType::bool_ || from == DType::bool_;
}

DType common_type(const TensorImplementation& target, const Operand& other, const char* operation) {
  const PromotionOperand left = PromotionOperand::tensor(target.dtype, target.geometry.shape.rank());
  if (!other.is_tensor()) return result_type({left, PromotionOperand::scalar(other.scalar())});
  const TensorImplementation& right = check_defined(other.tensor(), operation, other.site());
  return result_type({left, PromotionOperand::tensor(right.dtype, right.geometry.shape.rank())});
}

/// PyTorch's rule for subtraction: bool takes no part in it.
void check_no_bool(const TensorImplementation& target, const Operand& other, const char* operation) {
  const DType right = other.is_tensor() ? implementation_of(other.tensor()).dtype : other.scalar().dtype();
  if (target.dtype != DType::bool_ && right != DType::bool_) return;
  throw DTypeError(operation, "bool cannot be subtracted: logical_xor tells what differs, logical_not inverts",
                   other.site());
}

/// target = target OPERATION other.
void combine(const Tensor& target, const Operand& other, const char* operation, const KernelRow& row) {
  const TensorImplementation& left = check_defined(target, operation, other.site());
  DType common = common_type(left, other, operation);
  if (&row == &sub_row) check_no_bool(left, other, operation);
  if (&row == &div_row && !is_floating(common)) common = default_dtype;
  if (!can_hold(left.dtype, common)) {
    throw DTypeError(operation,
                     "the result is " + std::string(name(common)) + " and cannot be kept in a tensor of " +
                         std::string(name(left.dtype)),
                     other.site());
  }
  // Where the type is another one, the arithmetic is done in the common type and rounded once.
  const Tensor result = left.dtype == common ? target : target.to(common, other.site());
  Tensor right;
  OperatorCall call(operation, row, other.site());
  call.write(result);
  call.read(result);
  if (other.is_tensor()) {
    right = other.tensor().to(common, other.site());
    call.read(right, left.geometry.shape);
  } else {
    call.constant(other.scalar(), common);
  }
  apply(call);
  if (left.dtype != common) target.copy_(Operand(result, other.site()));
}

}  // namespace

const Tensor& Tensor::operator+=(const Operand& other) const {
  combine(*this, other, "add_", add_row);
  return *this;
}

const Tensor& Tensor::operator-=(const Operand& other) const {
  combine(*this, other, "sub_", sub_row);
  return *this;
}

const Tensor& Tensor::operator*=(const Operand& other) const {
  combine(*this, other, "mul_", mul_row);
  return *this;
}

const Tensor& Tensor::operator/=(const Operand& other) const {
  combine(*this, other, "div_", div_row);
  return *this;
}

}  // namespace stretto
