#include <cmath>

#include <stretto/ops/activation.h>
#include <stretto/ops/comparison.h>
#include <stretto/ops/logical.h>
#include <stretto/ops/unary.h>

#include "ops/operator_row.h"

namespace stretto {

namespace {

using Number = std::function<double(double)>;

OperatorRow unary(const std::string& name, std::function<Tensor(const Tensor&)> call, Number number,
                  OperatorRow::ResultTypes types, const std::vector<DType>& dtypes, Range range = {},
                  double tolerance = 0.5, bool specials = true) {
  OperatorRow row;
  row.name = name;
  row.call = [call](const std::vector<Tensor>& x) { return std::vector{call(x[0])}; };
  row.reference = [number](const std::vector<Values>& x) {
    Values result = x[0];
    for (double& value : result.numbers) value = number(value);
    return std::vector{result};
  };
  row.result_types = std::move(types);
  row.dtypes = alike(dtypes, 1);
  row.shapes = single_shapes();
  row.ranges = {range};
  row.tolerance = tolerance;
  row.specials = specials;
  return row;
}

double sign_of(double x) { return std::isnan(x) ? x : static_cast<double>((x > 0) - (x < 0)); }

}  // namespace

std::vector<OperatorRow> unary_rows() {
  using T = const Tensor&;
  const auto floating = floating_type();
  const auto same = same_type();
  const auto truth = always(DType::bool_);
  return {
      unary(
          "neg", [](T x) { return neg(x); }, [](double x) { return -x; }, same, number_dtypes),
      unary(
          "abs", [](T x) { return abs(x); }, [](double x) { return std::fabs(x); }, same, number_dtypes),
      unary(
          "sign", [](T x) { return sign(x); }, sign_of, same, number_dtypes),
      unary(
          "square", [](T x) { return square(x); }, [](double x) { return x * x; }, same, number_dtypes, {-20, 20}),
      unary(
          "floor", [](T x) { return floor(x); }, [](double x) { return std::floor(x); }, same, number_dtypes),
      unary(
          "ceil", [](T x) { return ceil(x); }, [](double x) { return std::ceil(x); }, same, number_dtypes),
      unary(
          "round", [](T x) { return round(x); }, [](double x) { return std::nearbyint(x); }, same, number_dtypes),
      unary(
          "trunc", [](T x) { return trunc(x); }, [](double x) { return std::trunc(x); }, same, number_dtypes),
      unary(
          "exp", [](T x) { return exp(x); }, [](double x) { return std::exp(x); }, floating, all_dtypes, {-9, 9}, 1),
      unary(
          "expm1", [](T x) { return expm1(x); }, [](double x) { return std::expm1(x); }, floating, all_dtypes, {}, 1),
      unary(
          "log", [](T x) { return log(x); }, [](double x) { return std::log(x); }, floating, all_dtypes, {0, 9}, 1),
      unary(
          "log1p", [](T x) { return log1p(x); }, [](double x) { return std::log1p(x); }, floating, all_dtypes, {-1, 9},
          1),
      unary(
          "log2", [](T x) { return log2(x); }, [](double x) { return std::log2(x); }, floating, all_dtypes, {0, 9}, 1),
      unary(
          "sqrt", [](T x) { return sqrt(x); }, [](double x) { return std::sqrt(x); }, floating, all_dtypes, {-1, 9}),
      unary(
          "rsqrt", [](T x) { return rsqrt(x); }, [](double x) { return 1 / std::sqrt(x); }, floating, all_dtypes,
          {-1, 9}, 1),
      unary(
          "reciprocal", [](T x) { return reciprocal(x); }, [](double x) { return 1 / x; }, floating, all_dtypes),
      unary(
          "sin", [](T x) { return sin(x); }, [](double x) { return std::sin(x); }, floating, all_dtypes, {-9, 9}, 1),
      unary(
          "cos", [](T x) { return cos(x); }, [](double x) { return std::cos(x); }, floating, all_dtypes, {-9, 9}, 1),
      unary(
          "tan", [](T x) { return tan(x); }, [](double x) { return std::tan(x); }, floating, all_dtypes, {-9, 9}, 1),
      unary(
          "erf", [](T x) { return erf(x); }, [](double x) { return std::erf(x); }, floating, all_dtypes, {}, 1),
      unary(
          "relu", [](T x) { return relu(x); }, [](double x) { return x <= 0 ? 0 : x; }, same, number_dtypes),
      unary(
          "sigmoid", [](T x) { return sigmoid(x); }, [](double x) { return 1 / (1 + std::exp(-x)); }, floating,
          all_dtypes, {-9, 9}, 1),
      unary(
          "tanh", [](T x) { return tanh(x); }, [](double x) { return std::tanh(x); }, floating, all_dtypes, {}, 1),
      unary(
          "isnan", [](T x) { return isnan(x); }, [](double x) { return std::isnan(x); }, truth, all_dtypes),
      unary(
          "isinf", [](T x) { return isinf(x); }, [](double x) { return std::isinf(x); }, truth, all_dtypes),
      unary(
          "isfinite", [](T x) { return isfinite(x); }, [](double x) { return std::isfinite(x); }, truth, all_dtypes),
      unary(
          "logical_not", [](T x) { return logical_not(x); }, [](double x) { return x == 0; }, truth, all_dtypes),
      unary(
          "bitwise_not", [](T x) { return bitwise_not(x); }, [](double x) { return -x - 1; }, same,
          {DType::int32, DType::int64, DType::uint8}, {-100, 100}),
      unary(
          "bitwise_not_of_bool", [](T x) { return bitwise_not(x); }, [](double x) { return x == 0; }, same,
          {DType::bool_}),
  };
}

}  // namespace stretto
