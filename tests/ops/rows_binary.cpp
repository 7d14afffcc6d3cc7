#include <cmath>

#include <stretto/ops/activation.h>
#include <stretto/ops/arithmetic.h>
#include <stretto/ops/comparison.h>
#include <stretto/ops/logical.h>

#include "ops/broadcasting.h"
#include "ops/operator_row.h"

namespace stretto {

namespace {

using BinaryCall = std::function<Tensor(const Tensor&, const Tensor&)>;
using Number = std::function<double(double, double)>;

std::vector<std::vector<Shape>> pairs_of_shapes() {
  return {{Shape{5}, Shape{5}},          {Shape{3, 1}, Shape{1, 4}},     {Shape{4}, Shape{3, 4}},
          {Shape{2, 1, 4}, Shape{3, 1}}, {Shape{0}, Shape{1}},           {Shape{2, 1, 3}, Shape{0, 3}},
          {Shape{1}, Shape{1}},          {Shape{37, 53}, Shape{37, 53}}, {Shape{29, 1}, Shape{31}}};
}

/// Each of `dtypes` with itself, and with every other in one of both orders.
std::vector<std::vector<DType>> pairs_of(const std::vector<DType>& dtypes) {
  std::vector<std::vector<DType>> pairs;
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const bool swapped = (i + j) % 2 == 1;
      pairs.push_back({dtypes[swapped ? j : i], dtypes[swapped ? i : j]});
    }
  }
  return pairs;
}

OperatorRow binary(const std::string& name, BinaryCall call, Number number, OperatorRow::ResultTypes types,
                   const std::vector<DType>& dtypes, Range left = {}, Range right = {}, double tolerance = 0.5,
                   bool specials = true) {
  OperatorRow row;
  row.name = name;
  row.call = [call](const std::vector<Tensor>& x) { return std::vector{call(x[0], x[1])}; };
  row.reference = [number](const std::vector<Values>& x) {
    return std::vector{broadcast_reference(x, [&](const double* v) { return number(v[0], v[1]); })};
  };
  row.result_types = std::move(types);
  row.dtypes = pairs_of(dtypes);
  row.layout_dtypes = alike(dtypes, 2);
  row.shapes = pairs_of_shapes();
  row.ranges = {left, right};
  row.tolerance = tolerance;
  row.specials = specials;
  return row;
}

OperatorRow backward(const std::string& name, BinaryCall call, Number number, Range range) {
  OperatorRow row = binary(name, std::move(call), std::move(number), promoted_type(), floating_dtypes, {}, range, 2);
  row.scale = 4;
  return row;
}

double python_remainder(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double larger(double a, double b) { return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmax(a, b); }
double smaller(double a, double b) { return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmin(a, b); }

using Bits = std::int64_t;

Number of_bits(Bits (*function)(Bits, Bits)) {
  return [function](double a, double b) {
    return static_cast<double>(function(static_cast<Bits>(a), static_cast<Bits>(b)));
  };
}

}  // namespace

std::vector<OperatorRow> binary_rows() {
  using T = const Tensor&;
  const auto promoted = promoted_type();
  const auto truth = always(DType::bool_);
  const Range whole{-100, 100};
  std::vector<DType> signed_dtypes = number_dtypes;
  std::erase(signed_dtypes, DType::uint8);
  std::vector<OperatorRow> rows = {
      binary(
          "add", [](T a, T b) { return add(a, b); }, [](double a, double b) { return a + b; }, promoted, number_dtypes,
          whole, whole),
      binary(
          "add_bool", [](T a, T b) { return add(a, b); }, [](double a, double b) { return a != 0 || b != 0; }, promoted,
          {DType::bool_}),
      binary(
          "sub", [](T a, T b) { return sub(a, b); }, [](double a, double b) { return a - b; }, promoted, number_dtypes,
          whole, whole),
      binary(
          "mul", [](T a, T b) { return mul(a, b); }, [](double a, double b) { return a * b; }, promoted, all_dtypes,
          whole, whole),
      binary(
          "div", [](T a, T b) { return div(a, b); }, [](double a, double b) { return a / b; }, promoted_floating_type(),
          all_dtypes),
      binary(
          "floor_divide", [](T a, T b) { return floor_divide(a, b); },
          [](double a, double b) { return std::floor(a / b); }, promoted, number_dtypes, whole, {1, 9}, 0.5, false),
      binary(
          "remainder", [](T a, T b) { return remainder(a, b); }, python_remainder, promoted, number_dtypes, whole,
          {1, 9}, 0.5, false),
      binary(
          "remainder_of_negative", [](T a, T b) { return remainder(a, b); }, python_remainder, promoted, signed_dtypes,
          whole, {-9, -1}, 0.5, false),
      binary(
          "pow", [](T a, T b) { return pow(a, b); }, [](double a, double b) { return std::pow(a, b); }, promoted,
          number_dtypes, {0, 3}, {0, 3}, 1),
      binary(
          "maximum", [](T a, T b) { return maximum(a, b); }, larger, promoted, all_dtypes),
      binary(
          "minimum", [](T a, T b) { return minimum(a, b); }, smaller, promoted, all_dtypes),

      binary(
          "eq", [](T a, T b) { return eq(a, b); }, [](double a, double b) { return a == b; }, truth, all_dtypes, {0, 3},
          {0, 3}),
      binary(
          "ne", [](T a, T b) { return ne(a, b); }, [](double a, double b) { return a != b; }, truth, all_dtypes, {0, 3},
          {0, 3}),
      binary(
          "lt", [](T a, T b) { return lt(a, b); }, [](double a, double b) { return a < b; }, truth, all_dtypes),
      binary(
          "le", [](T a, T b) { return le(a, b); }, [](double a, double b) { return a <= b; }, truth, all_dtypes),
      binary(
          "gt", [](T a, T b) { return gt(a, b); }, [](double a, double b) { return a > b; }, truth, all_dtypes),
      binary(
          "ge", [](T a, T b) { return ge(a, b); }, [](double a, double b) { return a >= b; }, truth, all_dtypes),

      binary(
          "logical_and", [](T a, T b) { return logical_and(a, b); },
          [](double a, double b) { return a != 0 && b != 0; }, truth, all_dtypes, {-1, 1}, {-1, 1}),
      binary(
          "logical_or", [](T a, T b) { return logical_or(a, b); }, [](double a, double b) { return a != 0 || b != 0; },
          truth, all_dtypes, {-1, 1}, {-1, 1}),
      binary(
          "logical_xor", [](T a, T b) { return logical_xor(a, b); },
          [](double a, double b) { return (a != 0) != (b != 0); }, truth, all_dtypes, {-1, 1}, {-1, 1}),
      binary(
          "bitwise_and", [](T a, T b) { return bitwise_and(a, b); }, of_bits([](Bits a, Bits b) { return a & b; }),
          promoted, bit_dtypes, whole, whole),
      binary(
          "bitwise_or", [](T a, T b) { return bitwise_or(a, b); }, of_bits([](Bits a, Bits b) { return a | b; }),
          promoted, bit_dtypes, whole, whole),
      binary(
          "bitwise_xor", [](T a, T b) { return bitwise_xor(a, b); }, of_bits([](Bits a, Bits b) { return a ^ b; }),
          promoted, bit_dtypes, whole, whole),

      backward(
          "relu_backward", [](T grad, T x) { return relu_backward(grad, x); },
          [](double grad, double x) { return x <= 0 ? 0 : grad; }, {}),
      backward(
          "sigmoid_backward", [](T grad, T y) { return sigmoid_backward(grad, y); },
          [](double grad, double y) { return grad * y * (1 - y); }, {0, 1}),
      backward(
          "tanh_backward", [](T grad, T y) { return tanh_backward(grad, y); },
          [](double grad, double y) { return grad * (1 - y * y); }, {-1, 1}),
  };
  return rows;
}

}  // namespace stretto
