#include <algorithm>
#include <cmath>
#include <numeric>

#include <stretto/ops/reduction.h>
#include <stretto/ops/scan.h>

#include "ops/along_axes.h"
#include "ops/operator_row.h"

namespace stretto {

namespace {

using Line = const std::vector<double>&;
using Reduce = std::function<double(Line)>;

/// A reduction called with these axes (empty: all).
OperatorRow reduction(const std::string& name, std::function<Tensor(const Tensor&, const Axes&, bool)> call,
                      const Reduce& reduce, OperatorRow::ResultTypes types, const std::vector<DType>& dtypes,
                      const std::vector<std::int64_t>& axes, bool keepdims,
                      const std::vector<std::vector<Shape>>& shapes, Range range, double tolerance, double scale,
                      bool specials = false) {
  IndexList list;
  for (const std::int64_t axis : axes) list.push_back(axis);
  OperatorRow row;
  row.name = name;
  row.call = [call, list, keepdims](const std::vector<Tensor>& x) { return std::vector{call(x[0], list, keepdims)}; };
  row.reference = [reduce, axes, keepdims](const std::vector<Values>& x) {
    const int rank = x[0].shape.rank();
    std::vector<int> counted;
    for (const std::int64_t axis : axes) counted.push_back(static_cast<int>(axis < 0 ? axis + rank : axis));
    for (int axis = 0; axes.empty() && axis < rank; ++axis) counted.push_back(axis);
    Values result{reduced_shape(x[0].shape, counted, keepdims), {}};
    for (Line line : gather_along(x[0], counted)) result.numbers.push_back(reduce(line));
    return std::vector{result};
  };
  row.result_types = std::move(types);
  row.dtypes = alike(dtypes, 1);
  row.shapes = shapes;
  row.ranges = {range};
  row.tolerance = tolerance;
  row.scale = scale;
  row.specials = specials;
  return row;
}

// In long double, so that it is the operator's float64 that is tried and not the reference's.
long double long_sum(Line x) { return std::accumulate(x.begin(), x.end(), 0.0L); }
double sum_of(Line x) { return static_cast<double>(long_sum(x)); }
double product_over(Line x) {
  return static_cast<double>(std::accumulate(x.begin(), x.end(), 1.0L, std::multiplies<>()));
}
double mean_of(Line x) { return static_cast<double>(long_sum(x) / static_cast<long double>(x.size())); }

bool has_nan(Line x) {
  return std::any_of(x.begin(), x.end(), [](double v) { return std::isnan(v); });
}
double max_of(Line x) { return has_nan(x) ? std::nan("") : *std::max_element(x.begin(), x.end()); }
double min_of(Line x) { return has_nan(x) ? std::nan("") : *std::min_element(x.begin(), x.end()); }

double argmax_of(Line x) {
  const auto nan = std::find_if(x.begin(), x.end(), [](double v) { return std::isnan(v); });
  return static_cast<double>((nan != x.end() ? nan : std::max_element(x.begin(), x.end())) - x.begin());
}
double argmin_of(Line x) {
  const auto nan = std::find_if(x.begin(), x.end(), [](double v) { return std::isnan(v); });
  return static_cast<double>((nan != x.end() ? nan : std::min_element(x.begin(), x.end())) - x.begin());
}

Reduce variance_of(double correction) {
  return [correction](Line x) {
    const long double mean = long_sum(x) / static_cast<long double>(x.size());
    long double squares = 0;
    for (const double v : x) squares += (v - mean) * (v - mean);
    const double divisor = static_cast<double>(x.size()) - correction;
    return divisor > 0 ? static_cast<double>(squares / divisor) : std::nan("");
  };
}

Reduce norm_of(double p) {
  return [p](Line x) {
    long double total = 0;
    for (const double v : x) total += std::pow(static_cast<long double>(std::fabs(v)), static_cast<long double>(p));
    return static_cast<double>(std::pow(total, 1 / static_cast<long double>(p)));
  };
}

/// One reduction with each sort of axes.
void add_reductions(std::vector<OperatorRow>& rows, const std::string& name,
                    const std::function<Tensor(const Tensor&, const Axes&, bool)>& call, const Reduce& reduce,
                    const OperatorRow::ResultTypes& types, const std::vector<DType>& dtypes, bool takes_none,
                    Range range, double tolerance, double scale, bool specials = false) {
  std::vector<std::vector<Shape>> any = {{Shape{}},     {Shape{1}},       {Shape{17}},
                                         {Shape{3, 5}}, {Shape{2, 3, 4}}, {Shape{61, 83}}};
  std::vector<std::vector<Shape>> rank3 = {
      {Shape{2, 3, 4}}, {Shape{1, 1, 1}}, {Shape{5, 1, 3}}, {Shape{9, 0, 2}}, {Shape{3, 40, 50}}};
  std::vector<std::vector<Shape>> rank3_middle = rank3;
  if (takes_none) {
    any.push_back({Shape{0}});
    any.push_back({Shape{3, 0}});
  } else {
    rank3_middle[3] = {Shape{0, 4, 2}};
  }
  const auto add = [&](const std::string& suffix, const std::vector<std::int64_t>& axes, bool keepdims,
                       const std::vector<std::vector<Shape>>& shapes) {
    rows.push_back(reduction(name + suffix, call, reduce, types, dtypes, axes, keepdims, shapes, range, tolerance,
                             scale, specials));
  };
  add("_of_all", {}, false, any);
  add("_of_all_kept", {}, true, any);
  add("_of_last", {-1}, false, rank3);
  add("_of_first", {0}, false, rank3);
  add("_of_middle_kept", {1}, true, rank3_middle);
  add("_of_two", {0, -1}, false, rank3);
}

OperatorRow scan(const std::string& name, std::function<Tensor(const Tensor&, std::int64_t)> call, std::int64_t axis,
                 const std::function<long double(long double, double)>& step, double start,
                 const std::vector<std::vector<Shape>>& shapes, Range range, double tolerance, double scale) {
  OperatorRow row;
  row.name = name;
  row.call = [call, axis](const std::vector<Tensor>& x) { return std::vector{call(x[0], axis)}; };
  row.reference = [step, start, axis](const std::vector<Values>& x) {
    if (x[0].shape.rank() == 0) return x;
    const int along = static_cast<int>(axis < 0 ? axis + x[0].shape.rank() : axis);
    return std::vector{map_lines(x[0], along, x[0].shape[along], [&](Line line) {
      std::vector<double> totals;
      long double total = start;
      for (const double v : line) totals.push_back(static_cast<double>(total = step(total, v)));
      return totals;
    })};
  };
  row.result_types = total_type();
  row.dtypes = alike(all_dtypes, 1);
  row.shapes = shapes;
  row.ranges = {range};
  row.tolerance = tolerance;
  row.scale = scale;
  return row;
}

}  // namespace

std::vector<OperatorRow> reduction_rows() {
  using T = const Tensor&;
  using A = const Axes&;
  std::vector<OperatorRow> rows;
  add_reductions(
      rows, "sum", [](T x, A axes, bool keep) { return sum(x, axes, keep); }, sum_of, total_type(), all_dtypes, true,
      {-4, 4}, 4, 100);
  add_reductions(
      rows, "prod", [](T x, A axes, bool keep) { return prod(x, axes, keep); }, product_over, total_type(), all_dtypes,
      true, {1, 1.0009765625}, 100, 1);
  add_reductions(
      rows, "mean", [](T x, A axes, bool keep) { return mean(x, axes, keep); }, mean_of, same_type(), floating_dtypes,
      true, {-4, 4}, 2, 4);
  add_reductions(
      rows, "max", [](T x, A axes, bool keep) { return max(x, axes, keep); }, max_of, same_type(), all_dtypes, false,
      {-100, 100}, 0.5, 0.1, true);
  add_reductions(
      rows, "min", [](T x, A axes, bool keep) { return min(x, axes, keep); }, min_of, same_type(), all_dtypes, false,
      {-100, 100}, 0.5, 0.1, true);
  add_reductions(
      rows, "any", [](T x, A axes, bool keep) { return any(x, axes, keep); },
      [](Line x) { return std::any_of(x.begin(), x.end(), [](double v) { return v != 0; }); }, always(DType::bool_),
      all_dtypes, true, {-0.4, 1}, 0.5, 1);
  add_reductions(
      rows, "all", [](T x, A axes, bool keep) { return all(x, axes, keep); },
      [](Line x) { return std::all_of(x.begin(), x.end(), [](double v) { return v != 0; }); }, always(DType::bool_),
      all_dtypes, true, {0, 3}, 0.5, 1);
  add_reductions(
      rows, "var", [](T x, A axes, bool keep) { return var(x, axes, keep); }, variance_of(1), same_type(),
      floating_dtypes, true, {90, 110}, 3, 30);
  add_reductions(
      rows, "var_of_population", [](T x, A axes, bool keep) { return var(x, axes, keep, 0); }, variance_of(0),
      same_type(), floating_dtypes, true, {90, 110}, 3, 30);
  add_reductions(
      rows, "std", [](T x, A axes, bool keep) { return std(x, axes, keep); },
      [](Line x) { return std::sqrt(variance_of(1)(x)); }, same_type(), floating_dtypes, true, {-4, 4}, 3, 2);
  add_reductions(
      rows, "norm", [](T x, A axes, bool keep) { return norm(x, axes, keep); }, norm_of(2), same_type(),
      floating_dtypes, true, {-4, 4}, 3, 1);
  add_reductions(
      rows, "norm_1", [](T x, A axes, bool keep) { return norm(x, axes, keep, 1); }, norm_of(1), same_type(),
      floating_dtypes, true, {-4, 4}, 3, 1);
  add_reductions(
      rows, "norm_3", [](T x, A axes, bool keep) { return norm(x, axes, keep, 3); }, norm_of(3), same_type(),
      {DType::float32, DType::float64}, true, {-4, 4}, 8, 1);
  add_reductions(
      rows, "norm_0", [](T x, A axes, bool keep) { return norm(x, axes, keep, 0); },
      [](Line x) { return static_cast<double>(std::count_if(x.begin(), x.end(), [](double v) { return v != 0; })); },
      same_type(), floating_dtypes, true, {0, 4}, 0.5, 1);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  add_reductions(
      rows, "norm_infinity", [](T x, A axes, bool keep) { return norm(x, axes, keep, infinity); },
      [](Line x) { return std::max(std::fabs(max_of(x)), std::fabs(min_of(x))); }, same_type(), floating_dtypes, false,
      {-4, 4}, 0.5, 0.1);

  // Along one axis, or with none among all elements.
  const auto one = [](const Axes& axes) {
    return axes.all() ? std::nullopt : std::optional<std::int64_t>(axes.list()[0]);
  };
  std::vector<OperatorRow> positions;
  add_reductions(
      positions, "argmax", [one](T x, A axes, bool keep) { return argmax(x, one(axes), keep); }, argmax_of,
      always(DType::int64), number_dtypes, false, {-100, 100}, 0.5, 1, true);
  add_reductions(
      positions, "argmin", [one](T x, A axes, bool keep) { return argmin(x, one(axes), keep); }, argmin_of,
      always(DType::int64), number_dtypes, false, {-100, 100}, 0.5, 1, true);
  for (OperatorRow& row : positions) {
    if (row.name.find("_of_two") != std::string::npos) continue;
    rows.push_back(row);
  }

  const auto add = [](long double a, double b) { return a + b; };
  const auto multiply = [](long double a, double b) { return a * b; };
  const std::vector<std::vector<Shape>> rank3 = {{Shape{2, 3, 4}}, {Shape{5, 0, 2}}, {Shape{3, 70, 50}}};
  rows.push_back(scan(
      "cumsum", [](T x, std::int64_t axis) { return cumsum(x, axis); }, -1, add, 0, single_shapes(), {-4, 4}, 8, 30));
  rows.push_back(scan(
      "cumsum_of_middle", [](T x, std::int64_t axis) { return cumsum(x, axis); }, 1, add, 0, rank3, {-4, 4}, 8, 30));
  rows.push_back(scan(
      "cumprod", [](T x, std::int64_t axis) { return cumprod(x, axis); }, -1, multiply, 1, single_shapes(),
      {1, 1.0009765625}, 100, 1));
  rows.push_back(scan(
      "cumprod_of_first", [](T x, std::int64_t axis) { return cumprod(x, axis); }, 0, multiply, 1, rank3,
      {1, 1.0009765625}, 100, 1));
  return rows;
}

}  // namespace stretto
