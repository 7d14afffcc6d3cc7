#include "ops/operands.h"

#include <string>

#include "tensor/tensor_implementation.h"

namespace stretto {

const Tensor& require_tensor(const Operand& operand, const char* name) {
  if (!operand.is_tensor()) {
    throw UsageError(name, "takes a tensor, not the number " + to_string(operand.scalar()), operand.site());
  }
  check_defined(operand.tensor(), name, operand.site());
  return operand.tensor();
}

DType computing_dtype(Takes takes, DType common, const char* operator_name, const CallSite& site) {
  const auto refuse = [&](const char* taken) {
    throw DTypeError(operator_name, std::string("takes ") + taken + ", not " + std::string(name(common)), site);
  };
  switch (takes) {
    case Takes::everything: break;
    case Takes::numbers:
      if (common == DType::bool_) refuse("numbers");
      break;
    case Takes::floats:
      if (!is_floating(common)) refuse("floating types");
      break;
    case Takes::as_floats: return is_floating(common) ? common : default_dtype;
    case Takes::bits:
      if (is_floating(common)) refuse("integers and bool");
      break;
  }
  return common;
}

namespace {

PromotionOperand promotion_operand(const Operand& operand) {
  if (!operand.is_tensor()) return PromotionOperand::scalar(operand.scalar());
  const TensorImplementation& tensor = implementation_of(operand.tensor());
  return PromotionOperand::tensor(tensor.dtype, tensor.geometry.shape.rank());
}

/// bool < integers < floating types.
int kind(DType dtype) { return dtype == DType::bool_ ? 0 : is_floating(dtype) ? 2 : 1; }

}  // namespace

DType common_dtype(std::initializer_list<const Operand*> operands) {
  PromotionOperand entries[4];
  std::size_t count = 0;
  for (const Operand* operand : operands) entries[count++] = promotion_operand(*operand);
  return result_type(std::span(entries, count));
}

DType common_dtype(const Operand& a, const Operand& b) {
  const PromotionOperand first = promotion_operand(a);
  const PromotionOperand second = promotion_operand(b);
  if (first.weight == OperandWeight::scalar || second.weight == OperandWeight::scalar) {
    if (second.weight != OperandWeight::scalar && kind(second.dtype) >= kind(first.dtype)) return second.dtype;
    if (first.weight != OperandWeight::scalar && kind(first.dtype) >= kind(second.dtype)) return first.dtype;
  } else if (first.dtype == second.dtype) {
    return first.dtype;
  }
  return result_type({first, second});
}

DType total_dtype(DType dtype, std::optional<DType> wanted, const char* name, const CallSite& site) {
  if (wanted == DType::bool_) throw DTypeError(name, "a total cannot be bool", site);
  return wanted.value_or(is_floating(dtype) ? dtype : DType::int64);
}

void check_representable(const Scalar& value, DType dtype, const char* name, const CallSite& site) {
  in_operator(name, site,
              [&] { visit_dtype(dtype, [&]<class T>(std::type_identity<T>) { static_cast<void>(value.to<T>()); }); });
}

Tensor as_positions(const Tensor& index, const char* what, const char* operator_name, const CallSite& site) {
  const DType dtype = index.dtype();
  if (!is_integral(dtype)) {
    throw DTypeError(operator_name, std::string(what) + " must be integers, not " + std::string(name(dtype)), site);
  }
  return index.to(DType::int64, site);
}

int checked_axis(std::int64_t axis, const Shape& shape, const char* name, const CallSite& site) {
  return in_operator(name, site, [&] {
    if (shape.rank() == 0 && (axis == 0 || axis == -1)) return 0;
    return normalize_axis(axis, shape.rank());
  });
}

Tensor with_an_axis(const Tensor& x, const CallSite& site) { return x.rank() > 0 ? x : x.reshape({1}, site); }

}  // namespace stretto
