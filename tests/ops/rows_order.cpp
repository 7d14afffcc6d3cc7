#include <algorithm>
#include <cmath>
#include <numeric>

#include <stretto/ops/order.h>

#include "ops/along_axes.h"
#include "ops/operator_row.h"

namespace stretto {

namespace {

/// Positions of the numbers in order; equal ones keep theirs, NaN is the largest.
std::vector<double> order_of(const std::vector<double>& numbers, bool descending) {
  const auto before = [&](double i, double j) {
    const double a = numbers[static_cast<std::size_t>(i)], b = numbers[static_cast<std::size_t>(j)];
    if (descending) return !std::isnan(b) && (std::isnan(a) || a > b);
    return !std::isnan(a) && (std::isnan(b) || a < b);
  };
  std::vector<double> positions(numbers.size());
  std::iota(positions.begin(), positions.end(), 0);
  std::stable_sort(positions.begin(), positions.end(), before);
  return positions;
}

/// Values and indices of the first `count` (or all) along the axis.
std::vector<Values> ordered(const Values& x, std::int64_t axis, bool descending, std::int64_t count) {
  if (x.shape.rank() == 0) return {x, Values{Shape(), {0}}};
  const int along = static_cast<int>(axis < 0 ? axis + x.shape.rank() : axis);
  const std::int64_t extent = count < 0 ? x.shape[along] : count;
  const auto positions = [&](const std::vector<double>& line) {
    std::vector<double> order = order_of(line, descending);
    order.resize(static_cast<std::size_t>(extent));
    return order;
  };
  return {map_lines(x, along, extent,
                    [&](const std::vector<double>& line) {
                      std::vector<double> values;
                      for (const double i : positions(line)) values.push_back(line[static_cast<std::size_t>(i)]);
                      return values;
                    }),
          map_lines(x, along, extent, positions)};
}

OperatorRow sorting(const std::string& name, OperatorRow::Call call, std::int64_t axis, bool descending,
                    std::int64_t count, std::vector<std::vector<Shape>> shapes) {
  OperatorRow row;
  row.name = name;
  row.call = std::move(call);
  row.reference = [=](const std::vector<Values>& x) { return ordered(x[0], axis, descending, count); };
  row.result_types = [](const std::vector<DType>& dtypes) { return std::vector{dtypes[0], DType::int64}; };
  row.dtypes = alike(all_dtypes, 1);
  row.shapes = std::move(shapes);
  row.ranges = {{-4, 4}};
  row.specials = true;
  return row;
}

std::vector<Tensor> both(const SortResult& result) { return {result.values, result.indices}; }

}  // namespace

std::vector<OperatorRow> order_rows() {
  using X = const std::vector<Tensor>&;
  const std::vector<std::vector<Shape>> rank3 = {{Shape{2, 3, 4}}, {Shape{5, 0, 2}}, {Shape{3, 70, 5}}};
  OperatorRow indices =
      sorting("argsort", [](X x) { return std::vector{argsort(x[0], -1, true)}; }, -1, true, -1, single_shapes());
  indices.reference = [](const std::vector<Values>& x) { return std::vector{ordered(x[0], -1, true, -1)[1]}; };
  indices.result_types = always(DType::int64);
  return {
      sorting(
          "sort", [](X x) { return both(sort(x[0])); }, -1, false, -1, single_shapes()),
      sorting(
          "sort_descending", [](X x) { return both(sort(x[0], -1, true)); }, -1, true, -1, single_shapes()),
      sorting(
          "sort_of_middle", [](X x) { return both(sort(x[0], 1)); }, 1, false, -1, rank3),
      indices,
      sorting("topk", [](X x) { return both(topk(x[0], 2)); }, -1, true, 2,
              {{Shape{2}}, {Shape{17}}, {Shape{3, 5}}, {Shape{0, 5}}, {Shape{4, 300}}}),
      sorting("topk_smallest_of_middle", [](X x) { return both(topk(x[0], 3, 1, false)); }, 1, false, 3,
              {{Shape{2, 3, 4}}, {Shape{3, 70, 5}}}),
      sorting("topk_of_none", [](X x) { return both(topk(x[0], 0)); }, -1, true, 0, {{Shape{5}}, {Shape{0}}}),
  };
}

}  // namespace stretto
