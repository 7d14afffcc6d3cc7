#include <algorithm>
#include <cmath>

#include <stretto/ops/loss.h>
#include <stretto/ops/softmax.h>

#include "ops/along_axes.h"
#include "ops/operator_row.h"

namespace stretto {

namespace {

using Line = const std::vector<double>&;

std::vector<double> softmax_of(Line x) {
  double top = -std::numeric_limits<double>::infinity(), total = 0;
  for (const double v : x) top = std::max(top, v);
  std::vector<double> result;
  for (const double v : x) result.push_back(std::exp(v - top));
  for (const double v : result) total += v;
  for (double& v : result) v /= total;
  return result;
}

std::vector<double> log_softmax_of(Line x) {
  double top = -std::numeric_limits<double>::infinity(), total = 0;
  for (const double v : x) top = std::max(top, v);
  for (const double v : x) total += std::exp(v - top);
  std::vector<double> result;
  for (const double v : x) result.push_back(v - top - std::log(total));
  return result;
}

int counted(std::int64_t axis, const Values& x) { return static_cast<int>(axis < 0 ? axis + x.shape.rank() : axis); }

OperatorRow along(const std::string& name, std::function<Tensor(const Tensor&, std::int64_t)> call, std::int64_t axis,
                  std::vector<double> (*line)(Line), std::vector<std::vector<Shape>> shapes, double tolerance,
                  double scale) {
  OperatorRow row;
  row.name = name;
  row.call = [call, axis](const std::vector<Tensor>& x) { return std::vector{call(x[0], axis)}; };
  row.reference = [axis, line](const std::vector<Values>& x) {
    if (x[0].shape.rank() == 0) return std::vector{Values{Shape(), line(x[0].numbers)}};
    const int at = counted(axis, x[0]);
    return std::vector{map_lines(x[0], at, x[0].shape[at], line)};
  };
  row.result_types = same_type();
  row.dtypes = alike(floating_dtypes, 1);
  row.shapes = std::move(shapes);
  row.ranges = {{-30, 30}};
  row.tolerance = tolerance;
  row.scale = scale;
  return row;
}

/// The gradient along the last axis; `line` gets the lines of grad and y.
OperatorRow backward(const std::string& name, OperatorRow::Call call, Range y_range,
                     const std::function<std::vector<double>(Line, Line)>& line) {
  OperatorRow row;
  row.name = name;
  row.call = std::move(call);
  row.reference = [line](const std::vector<Values>& x) {
    const int last = x[0].shape.rank() - 1;
    const std::vector<std::vector<double>> y = gather_along(x[1], {last});
    std::size_t next = 0;
    return std::vector{map_lines(x[0], last, x[0].shape[last], [&](Line grad) { return line(grad, y[next++]); })};
  };
  row.result_types = same_type();
  row.dtypes = alike(floating_dtypes, 2);
  for (const Shape& shape : {Shape{5}, Shape{3, 7}, Shape{2, 3, 4}, Shape{0, 4}, Shape{40, 100}}) {
    row.shapes.push_back({shape, shape});
  }
  row.ranges = {{-1, 1}, y_range};
  row.tolerance = 4;
  row.scale = 10;
  return row;
}

std::vector<std::vector<DType>> with_labels(const std::vector<DType>& dtypes) {
  std::vector<std::vector<DType>> trials;
  for (const DType dtype : dtypes) trials.push_back({dtype, DType::int64});
  trials.push_back({DType::float32, DType::uint8});
  trials.push_back({DType::float32, DType::int32});
  return trials;
}

std::vector<double> losses_of(const Values& logits, const Values& labels) {
  std::vector<double> losses;
  const std::vector<std::vector<double>> rows = gather_along(logits, {1});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    losses.push_back(-log_softmax_of(rows[i])[static_cast<std::size_t>(labels.numbers[i])]);
  }
  return losses;
}

OperatorRow loss(const std::string& name, Reduction reduction, double tolerance) {
  OperatorRow row;
  row.name = name;
  row.call = [reduction](const std::vector<Tensor>& x) { return std::vector{cross_entropy(x[0], x[1], reduction)}; };
  row.reference = [reduction](const std::vector<Values>& x) {
    const std::vector<double> losses = losses_of(x[0], x[1]);
    if (reduction == Reduction::none) return std::vector{Values{x[1].shape, losses}};
    double total = 0;
    for (const double loss : losses) total += loss;
    if (reduction == Reduction::mean) total /= static_cast<double>(losses.size());
    return std::vector{Values{Shape(), {total}}};
  };
  row.result_types = [](const std::vector<DType>& dtypes) { return std::vector{dtypes[0]}; };
  row.dtypes = with_labels(floating_dtypes);
  row.shapes = {
      {Shape{4, 3}, Shape{4}}, {Shape{1, 9}, Shape{1}}, {Shape{0, 3}, Shape{0}}, {Shape{300, 10}, Shape{300}}};
  row.ranges = {{-9, 9}, {0, 2}};
  row.tolerance = tolerance;
  row.scale = 1;
  return row;
}

OperatorRow loss_backward(const std::string& name, Reduction reduction) {
  OperatorRow row;
  row.name = name;
  row.call = [reduction](const std::vector<Tensor>& x) {
    return std::vector{cross_entropy_backward(x[0], x[1], x[2], reduction)};
  };
  row.reference = [reduction](const std::vector<Values>& x) {
    const std::vector<std::vector<double>> rows = gather_along(x[1], {1});
    Values result{x[1].shape, {}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double grad = x[0].numbers[reduction == Reduction::none ? i : 0];
      if (reduction == Reduction::mean) grad /= static_cast<double>(rows.size());
      std::vector<double> line = softmax_of(rows[i]);
      line[static_cast<std::size_t>(x[2].numbers[i])] -= 1;
      for (const double v : line) result.numbers.push_back(v * grad);
    }
    return std::vector{result};
  };
  row.result_types = [](const std::vector<DType>& dtypes) { return std::vector{dtypes[0]}; };
  for (const DType dtype : floating_dtypes) row.dtypes.push_back({dtype, dtype, DType::int64});
  for (const std::int64_t n : {4, 1, 0, 300}) {
    row.shapes.push_back({reduction == Reduction::none ? Shape{n} : Shape{}, Shape{n, 5}, Shape{n}});
  }
  row.ranges = {{-2, 2}, {-9, 9}, {0, 4}};
  row.tolerance = 4;
  row.scale = reduction == Reduction::mean ? 0.5 : 2;
  return row;
}

}  // namespace

std::vector<OperatorRow> softmax_rows() {
  using T = const Tensor&;
  using X = const std::vector<Tensor>&;
  const std::vector<std::vector<Shape>> rank3 = {{Shape{2, 3, 4}}, {Shape{5, 0, 2}}, {Shape{3, 70, 5}}};
  return {
      along(
          "softmax", [](T x, std::int64_t axis) { return softmax(x, axis); }, -1, softmax_of, single_shapes(), 4, 0.01),
      along(
          "softmax_of_middle", [](T x, std::int64_t axis) { return softmax(x, axis); }, 1, softmax_of, rank3, 4, 0.01),
      along(
          "log_softmax", [](T x, std::int64_t axis) { return log_softmax(x, axis); }, -1, log_softmax_of,
          single_shapes(), 2, 8),
      along(
          "log_softmax_of_middle", [](T x, std::int64_t axis) { return log_softmax(x, axis); }, 1, log_softmax_of,
          rank3, 2, 8),
      backward(
          "softmax_backward", [](X x) { return std::vector{softmax_backward(x[0], x[1], -1)}; }, {0, 1},
          [](Line grad, Line y) {
            double inner = 0;
            for (std::size_t i = 0; i < y.size(); ++i) inner += grad[i] * y[i];
            std::vector<double> result;
            for (std::size_t i = 0; i < y.size(); ++i) result.push_back(y[i] * (grad[i] - inner));
            return result;
          }),
      backward(
          "log_softmax_backward", [](X x) { return std::vector{log_softmax_backward(x[0], x[1], -1)}; }, {-5, 0},
          [](Line grad, Line y) {
            double total = 0;
            for (const double g : grad) total += g;
            std::vector<double> result;
            for (std::size_t i = 0; i < y.size(); ++i) result.push_back(grad[i] - std::exp(y[i]) * total);
            return result;
          }),
      loss("cross_entropy", Reduction::mean, 4),
      loss("cross_entropy_of_rows", Reduction::none, 4),
      loss("cross_entropy_sum", Reduction::sum, 10),
      loss_backward("cross_entropy_backward", Reduction::mean),
      loss_backward("cross_entropy_backward_of_rows", Reduction::none),
      loss_backward("cross_entropy_backward_of_sum", Reduction::sum),
  };
}

}  // namespace stretto
