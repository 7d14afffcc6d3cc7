#include "ops/along_axes.h"

#include <algorithm>

namespace stretto {

namespace {

bool contains(const std::vector<int>& axes, int axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

/// The number of the line along `axes` that element i of `shape` lies on.
std::size_t line_of(const Shape& shape, const std::vector<int>& axes, std::int64_t i) {
  std::int64_t line = 0, step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (!contains(axes, axis)) {
      line += i % shape[axis] * step;
      step *= shape[axis];
    }
    i /= shape[axis];
  }
  return static_cast<std::size_t>(line);
}

}  // namespace

Shape reduced_shape(const Shape& shape, const std::vector<int>& axes, bool keepdims) {
  Shape result;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!contains(axes, axis)) {
      result.push_back(shape[axis]);
    } else if (keepdims) {
      result.push_back(1);
    }
  }
  return result;
}

std::vector<std::vector<double>> gather_along(const Values& x, const std::vector<int>& axes) {
  std::vector<std::vector<double>> lines(static_cast<std::size_t>(reduced_shape(x.shape, axes, false).numel()));
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    lines[line_of(x.shape, axes, i)].push_back(x.numbers[static_cast<std::size_t>(i)]);
  }
  return lines;
}

Values map_lines(const Values& x, int axis, std::int64_t extent,
                 const std::function<std::vector<double>(const std::vector<double>&)>& line) {
  Values result{x.shape, {}};
  result.shape[axis] = extent;
  std::vector<std::vector<double>> lines = gather_along(x, {axis});
  for (std::vector<double>& numbers : lines) numbers = line(numbers);
  std::vector<std::size_t> next(lines.size(), 0);
  for (std::int64_t i = 0; i < result.shape.numel(); ++i) {
    const std::size_t k = line_of(result.shape, {axis}, i);
    result.numbers.push_back(lines[k][next[k]++]);
  }
  return result;
}

}  // namespace stretto
