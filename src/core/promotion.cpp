#include <algorithm>
#include <optional>

#include <stretto/core/promotion.h>

namespace stretto {

namespace {

/// Position in the order of promotion; of two types, the one further along holds both, but for the two half types.
int order(DType dtype) {
  constexpr int orders[] = {5, 6, 4, 4, 2, 3, 1, 0};
  return orders[static_cast<std::size_t>(dtype)];
}

std::optional<DType> promote(std::optional<DType> a, std::optional<DType> b) {
  if (!a || !b) return a ? a : b;
  return stretto::promote(*a, *b);
}

/// The type of a heavier group of operands together with a lighter one.
std::optional<DType> combine(std::optional<DType> heavier, std::optional<DType> lighter) {
  if (!heavier || !lighter) return promote(heavier, lighter);
  const bool yields = *heavier == DType::bool_ || (!is_floating(*heavier) && is_floating(*lighter));
  return yields ? promote(heavier, lighter) : heavier;
}

}  // namespace

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (order(a) == order(b)) return DType::float32;
  return order(a) > order(b) ? a : b;
}

DType result_type(std::span<const PromotionOperand> operands) {
  std::optional<DType> groups[3];
  for (const PromotionOperand& operand : operands) {
    const bool weak_floating = operand.weight == OperandWeight::scalar && is_floating(operand.dtype);
    std::optional<DType>& group = groups[static_cast<std::size_t>(operand.weight)];
    group = promote(group, weak_floating ? default_dtype : operand.dtype);
  }
  return combine(groups[2], combine(groups[1], groups[0])).value();
}

DType result_type(std::initializer_list<PromotionOperand> operands) {
  return result_type(std::span(operands.begin(), operands.size()));
}

}  // namespace stretto
