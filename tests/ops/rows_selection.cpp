#include <cmath>

#include <stretto/ops/selection.h>

#include "ops/broadcasting.h"
#include "ops/operator_row.h"

namespace stretto {

namespace {

/// An elementwise operator with any number of operands.
OperatorRow elementwise(const std::string& name, OperatorRow::Call call,
                        const std::function<double(const double*)>& number, OperatorRow::ResultTypes types,
                        std::vector<std::vector<DType>> dtypes, std::vector<std::vector<Shape>> shapes,
                        std::vector<Range> ranges) {
  OperatorRow row;
  row.name = name;
  row.call = std::move(call);
  row.reference = [number](const std::vector<Values>& x) { return std::vector{broadcast_reference(x, number)}; };
  row.result_types = std::move(types);
  row.dtypes = std::move(dtypes);
  row.shapes = std::move(shapes);
  row.ranges = std::move(ranges);
  row.specials = true;
  return row;
}

std::vector<std::vector<DType>> with_condition(const std::vector<std::vector<DType>>& values) {
  std::vector<std::vector<DType>> trials;
  for (std::vector<DType> trial : values) {
    trial.insert(trial.begin(), DType::bool_);
    trials.push_back(trial);
  }
  return trials;
}

std::vector<std::vector<DType>> mixed(std::vector<std::vector<DType>> trials) {
  trials.push_back({DType::int32, DType::float16});
  trials.push_back({DType::float16, DType::bfloat16});
  trials.push_back({DType::bool_, DType::uint8});
  return trials;
}

std::vector<std::vector<Shape>> triples_of_shapes() {
  return {{Shape{5}, Shape{5}, Shape{5}},          {Shape{3, 1}, Shape{1, 4}, Shape{4}},
          {Shape{2, 1, 4}, Shape{3, 1}, Shape{1}}, {Shape{}, Shape{}, Shape{}},
          {Shape{0}, Shape{1}, Shape{0}},          {Shape{23, 45}, Shape{23, 45}, Shape{23, 45}}};
}

double at_least(double x, double low) { return std::isnan(x) ? x : std::fmax(x, low); }
double at_most(double x, double high) { return std::isnan(x) ? x : std::fmin(x, high); }

}  // namespace

std::vector<OperatorRow> selection_rows() {
  using X = const std::vector<Tensor>&;
  // Of the types of the values, without the condition's.
  const OperatorRow::ResultTypes values_type = [](const std::vector<DType>& dtypes) {
    return promoted_type()({dtypes.begin() + 1, dtypes.end()});
  };
  const OperatorRow::ResultTypes first_type = [](const std::vector<DType>& dtypes) { return std::vector{dtypes[0]}; };
  std::vector<std::vector<DType>> masked;
  for (const DType dtype : all_dtypes) masked.push_back({dtype, DType::bool_});

  std::vector<OperatorRow> rows = {
      elementwise(
          "where", [](X x) { return std::vector{where(x[0], x[1], x[2])}; },
          [](const double* v) { return v[0] != 0 ? v[1] : v[2]; }, values_type,
          with_condition(mixed(alike(all_dtypes, 2))), triples_of_shapes(), {{0, 1}, {}, {}}),
      elementwise(
          "where_with_a_number", [](X x) { return std::vector{where(x[0], x[1], 1)}; },
          [](const double* v) { return v[0] != 0 ? v[1] : 1; }, values_type, with_condition(alike(number_dtypes, 1)),
          {{Shape{7}, Shape{7}}, {Shape{3, 1}, Shape{2}}}, {{0, 1}, {}}),
      elementwise(
          "masked_fill", [](X x) { return std::vector{masked_fill(x[0], x[1], 1)}; },
          [](const double* v) { return v[1] != 0 ? 1 : v[0]; }, first_type, masked,
          {{Shape{7}, Shape{7}}, {Shape{3, 4}, Shape{4}}, {Shape{}, Shape{}}, {Shape{0}, Shape{0}}}, {{}, {0, 1}}),
      elementwise(
          "clamp", [](X x) { return std::vector{clamp(x[0], x[1], x[2])}; },
          [](const double* v) { return at_most(at_least(v[0], v[1]), v[2]); }, promoted_type(), alike(number_dtypes, 3),
          triples_of_shapes(), {{}, {-2, 0}, {1, 2}}),
      elementwise(
          "clamp_with_numbers", [](X x) { return std::vector{clamp(x[0], 1, 3)}; },
          [](const double* v) { return at_most(at_least(v[0], 1), 3); }, same_type(), alike(number_dtypes, 1),
          single_shapes(), {{}}),
      elementwise(
          "clamp_min", [](X x) { return std::vector{clamp_min(x[0], 1)}; },
          [](const double* v) { return at_least(v[0], 1); }, same_type(), alike(number_dtypes, 1), single_shapes(),
          {{}}),
      elementwise(
          "clamp_max", [](X x) { return std::vector{clamp_max(x[0], x[1])}; },
          [](const double* v) { return at_most(v[0], v[1]); }, promoted_type(), alike(number_dtypes, 2),
          {{Shape{9}, Shape{9}}, {Shape{2, 3}, Shape{}}}, {{}, {-1, 1}}),
  };
  rows[3].specials = false;  // a bound that is NaN has no agreed meaning
  rows[6].specials = false;
  return rows;
}

}  // namespace stretto
