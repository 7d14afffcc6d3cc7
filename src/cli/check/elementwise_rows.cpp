#include <algorithm>

#include <stretto/core/promotion.h>

#include "cli/check/rules.h"

namespace stretto::cli {
namespace {

/// Of x[0] and an integer.
bool with_integer(const Places& places, Variable& result) {
  result.dtype = result_type(
      {PromotionOperand::tensor(result.dtype, places.x[0].rank()), PromotionOperand::scalar(Scalar(std::int64_t{1}))});
  return true;
}

/// Of x[0] and a number with a fraction.
bool with_real(const Places& places, Variable& result) {
  result.dtype =
      result_type({PromotionOperand::tensor(result.dtype, places.x[0].rank()), PromotionOperand::scalar(Scalar(0.5))});
  return true;
}

/// Bool is not subtracted, from nothing and by nothing.
bool subtracts(const Places& places, Variable& result) {
  return places.x[0].dtype != DType::bool_ && places.x[1].dtype != DType::bool_ && common(places, result);
}
bool subtracts_from_integer(const Places& places, Variable& result) {
  return not_bool(places, result) && with_integer(places, result);
}

/// The last number divides.
bool divided(const Places& places, Variable& result) { return places.n[0] != 0 && with_integer(places, result); }

/// Of integers, or a negative power of some, is an error where a value is not what the operator takes.
bool common_integers(const Places& places, Variable& result) {
  return common(places, result) && is_integral(result.dtype);
}

bool selects(const Places& places, Variable& result) {
  if (places.x[0].dtype != DType::bool_ || !common(places, result)) return false;
  result.dtype = common_type(places, 1, 3);
  return true;
}

bool masks(const Places& places, Variable& result) {
  if (places.x[1].dtype != DType::bool_ || places.n[0] < 0 || !common(places, result)) return false;
  result.dtype = places.x[0].dtype;
  return true;
}

bool clamps(const Places& places, Variable& result) {
  return places.n[0] >= 0 && places.n[1] >= 0 && with_integer(places, result) && result.dtype == places.x[0].dtype &&
         not_bool(places, result);
}

}  // namespace

// Rows are long; each is one line.
// clang-format off
std::vector<StatementRow> elementwise_rows() {
  std::vector<StatementRow> rows = {
    {STRETTO_STATEMENT(neg(x0)), .accesses = "r", .fits = not_bool, .draw = draw_nothing},
    {STRETTO_STATEMENT(abs(x0)), .accesses = "r", .fits = not_bool, .draw = draw_nothing},
    {STRETTO_STATEMENT(sign(x0)), .accesses = "r", .fits = not_bool, .draw = draw_nothing, .weight = 0.5},
    {STRETTO_STATEMENT(square(x0)), .accesses = "r", .fits = not_bool, .draw = draw_nothing, .weight = 0.5},
    {STRETTO_STATEMENT(floor(x0)), .accesses = "r", .fits = not_bool, .draw = draw_nothing, .weight = 0.5},
    {STRETTO_STATEMENT(ceil(x0)), .accesses = "r", .fits = not_bool, .draw = draw_nothing, .weight = 0.5},
    {STRETTO_STATEMENT(round(x0)), .accesses = "r", .fits = not_bool, .draw = draw_nothing, .weight = 0.5},
    {STRETTO_STATEMENT(trunc(x0)), .accesses = "r", .fits = not_bool, .draw = draw_nothing, .weight = 0.5},
    {STRETTO_STATEMENT(exp(x0)), .accesses = "r", .fits = becomes_floating, .draw = draw_nothing, .weight = 0.3},
    {STRETTO_STATEMENT(expm1(x0)), .accesses = "r", .fits = becomes_floating, .draw = draw_nothing, .weight = 0.3},
    {STRETTO_STATEMENT(log(x0)), .accesses = "r", .fits = becomes_floating, .draw = draw_nothing, .weight = 0.3},
    {STRETTO_STATEMENT(log1p(x0)), .accesses = "r", .fits = becomes_floating, .draw = draw_nothing, .weight = 0.3},
    {STRETTO_STATEMENT(log2(x0)), .accesses = "r", .fits = becomes_floating, .draw = draw_nothing, .weight = 0.3},
    {STRETTO_STATEMENT(sqrt(x0)), .accesses = "r", .fits = becomes_floating, .draw = draw_nothing, .weight = 0.3},
    {STRETTO_STATEMENT(rsqrt(x0)), .accesses = "r", .fits = becomes_floating, .draw = draw_nothing, .weight = 0.3},
    {STRETTO_STATEMENT(reciprocal(x0)), .accesses = "r", .fits = becomes_floating, .draw = draw_nothing, .weight = 0.3},
    {STRETTO_STATEMENT(sin(x0)), .accesses = "r", .fits = becomes_floating, .draw = draw_nothing},
    {STRETTO_STATEMENT(cos(x0)), .accesses = "r", .fits = becomes_floating, .draw = draw_nothing},
    {STRETTO_STATEMENT(tan(x0)), .accesses = "r", .fits = becomes_floating, .draw = draw_nothing, .weight = 0.5},
    {STRETTO_STATEMENT(erf(x0)), .accesses = "r", .fits = becomes_floating, .draw = draw_nothing, .weight = 0.5},
    {STRETTO_STATEMENT(relu(x0)), .accesses = "r", .fits = not_bool, .draw = draw_nothing},
    {STRETTO_STATEMENT(sigmoid(x0)), .accesses = "r", .fits = becomes_floating, .draw = draw_nothing},
    {STRETTO_STATEMENT(stretto::tanh(x0)), .accesses = "r", .fits = becomes_floating, .draw = draw_nothing},
    {STRETTO_STATEMENT(relu_backward(x0, x1)), .accesses = "rr", .fits = common_floating, .draw = draw_nothing},
    {STRETTO_STATEMENT(sigmoid_backward(x0, x1)), .accesses = "rr", .fits = common_floating, .draw = draw_nothing},
    {STRETTO_STATEMENT(tanh_backward(x0, x1)), .accesses = "rr", .fits = common_floating, .draw = draw_nothing},

    {STRETTO_STATEMENT(x0 + x1), .accesses = "rr", .fits = common, .draw = draw_nothing, .weight = 3},
    {STRETTO_STATEMENT(x0 - x1), .accesses = "rr", .fits = subtracts, .draw = draw_nothing, .weight = 3},
    {STRETTO_STATEMENT(x0 * x1), .accesses = "rr", .fits = common, .draw = draw_nothing, .weight = 2},
    {STRETTO_STATEMENT(x0 / x1), .accesses = "rr", .fits = common_becomes_floating, .draw = draw_nothing},
    {STRETTO_STATEMENT(floor_divide(x0, x1)), .accesses = "rr", .fits = common_floating, .draw = draw_nothing, .weight = 0.5},
    {STRETTO_STATEMENT(x0 % x1), .accesses = "rr", .fits = common_floating, .draw = draw_nothing, .weight = 0.5},
    {STRETTO_STATEMENT(stretto::pow(x0, x1)), .accesses = "rr", .fits = common_floating, .draw = draw_nothing, .weight = 0.3},
    {STRETTO_STATEMENT(maximum(x0, x1)), .accesses = "rr", .fits = common, .draw = draw_nothing},
    {STRETTO_STATEMENT(minimum(x0, x1)), .accesses = "rr", .fits = common, .draw = draw_nothing},
    {STRETTO_STATEMENT(x0 + n0), .accesses = "r", .fits = with_integer, .draw = draw_small, .weight = 2},
    {STRETTO_STATEMENT(x0 * (n0 * 0.25)), .accesses = "r", .fits = with_real, .draw = draw_small},
    {STRETTO_STATEMENT(n0 - x0), .accesses = "r", .fits = subtracts_from_integer, .draw = draw_small},
    {STRETTO_STATEMENT(floor_divide(x0, n0)), .accesses = "r", .fits = divided, .draw = draw_small, .weight = 0.5},
    {STRETTO_STATEMENT(x0 % n0), .accesses = "r", .fits = divided, .draw = draw_small},
    {STRETTO_STATEMENT(floor_divide(x0, x1)), .accesses = "rr", .fits = common_integers, .draw = draw_nothing, .fails = true},
    {STRETTO_STATEMENT(stretto::pow(x0, x1)), .accesses = "rr", .fits = common_integers, .draw = draw_nothing, .fails = true},

    {STRETTO_STATEMENT(x0 == x1), .accesses = "rr", .fits = common_becomes_bool, .draw = draw_nothing, .weight = 0.5},
    {STRETTO_STATEMENT(x0 != x1), .accesses = "rr", .fits = common_becomes_bool, .draw = draw_nothing, .weight = 0.5},
    {STRETTO_STATEMENT(x0 < x1), .accesses = "rr", .fits = common_becomes_bool, .draw = draw_nothing},
    {STRETTO_STATEMENT(x0 <= x1), .accesses = "rr", .fits = common_becomes_bool, .draw = draw_nothing, .weight = 0.5},
    {STRETTO_STATEMENT(x0 > x1), .accesses = "rr", .fits = common_becomes_bool, .draw = draw_nothing, .weight = 0.5},
    {STRETTO_STATEMENT(x0 >= x1), .accesses = "rr", .fits = common_becomes_bool, .draw = draw_nothing, .weight = 0.5},
    {STRETTO_STATEMENT(stretto::isnan(x0)), .accesses = "r", .fits = becomes_bool, .draw = draw_nothing, .weight = 0.3},
    {STRETTO_STATEMENT(stretto::isinf(x0)), .accesses = "r", .fits = becomes_bool, .draw = draw_nothing, .weight = 0.3},
    {STRETTO_STATEMENT(stretto::isfinite(x0)), .accesses = "r", .fits = becomes_bool, .draw = draw_nothing, .weight = 0.3},
    {STRETTO_STATEMENT(isclose(x0, x1)), .accesses = "rr", .fits = common_becomes_bool, .draw = draw_nothing, .weight = 0.3},
    {STRETTO_STATEMENT(logical_and(x0, x1)), .accesses = "rr", .fits = common_becomes_bool, .draw = draw_nothing, .weight = 0.3},
    {STRETTO_STATEMENT(logical_or(x0, x1)), .accesses = "rr", .fits = common_becomes_bool, .draw = draw_nothing, .weight = 0.3},
    {STRETTO_STATEMENT(logical_xor(x0, x1)), .accesses = "rr", .fits = common_becomes_bool, .draw = draw_nothing, .weight = 0.3},
    {STRETTO_STATEMENT(!x0), .accesses = "r", .fits = becomes_bool, .draw = draw_nothing, .weight = 0.3},
    {STRETTO_STATEMENT(x0 & x1), .accesses = "rr", .fits = common_bits, .draw = draw_nothing},
    {STRETTO_STATEMENT(x0 | x1), .accesses = "rr", .fits = common_bits, .draw = draw_nothing},
    {STRETTO_STATEMENT(x0 ^ x1), .accesses = "rr", .fits = common_bits, .draw = draw_nothing},
    {STRETTO_STATEMENT(~x0), .accesses = "r", .fits = common_bits, .draw = draw_nothing},

    {STRETTO_STATEMENT(where(x0, x1, x2)), .accesses = "rrr", .fits = selects, .draw = draw_nothing, .weight = 2},
    {STRETTO_STATEMENT(masked_fill(x0, x1, n0)), .accesses = "rr", .fits = masks, .draw = draw_small, .weight = 2},
    {STRETTO_STATEMENT(clamp(x0, x1, x2)), .accesses = "rrr", .fits = common_not_bool, .draw = draw_nothing},
    {STRETTO_STATEMENT(clamp_min(x0, n0)), .accesses = "r", .fits = clamps, .draw = draw_small, .weight = 0.5},
    {STRETTO_STATEMENT(clamp_max(x0, n0)), .accesses = "r", .fits = clamps, .draw = draw_small, .weight = 0.5},
  };
  for (StatementRow& row : rows) row.chains = true;
  return rows;
}
// clang-format on

}  // namespace stretto::cli
