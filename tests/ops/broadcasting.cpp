#include "ops/broadcasting.h"

#include <algorithm>

namespace stretto {

std::vector<double> broadcast_numbers(const Values& values, const Shape& shape) {
  std::vector<double> result;
  const int missing = shape.rank() - values.shape.rank();
  for (std::int64_t i = 0; i < shape.numel(); ++i) {
    std::int64_t rest = i, position = 0, step = 1;
    for (int axis = shape.rank() - 1; axis >= missing; --axis) {
      const std::int64_t extent = values.shape[axis - missing];
      if (extent != 1) position += rest % shape[axis] * step;
      rest /= shape[axis];
      step *= extent;
    }
    result.push_back(values.numbers[static_cast<std::size_t>(position)]);
  }
  return result;
}

Values broadcast_reference(const std::vector<Values>& operands, const std::function<double(const double*)>& number) {
  int rank = 0;
  for (const Values& operand : operands) rank = std::max(rank, operand.shape.rank());
  Values result{Shape(IndexList::filled(rank, 1)), {}};
  for (const Values& operand : operands) {
    const int missing = rank - operand.shape.rank();
    for (int axis = 0; axis < operand.shape.rank(); ++axis) {
      if (operand.shape[axis] != 1) result.shape[missing + axis] = operand.shape[axis];
    }
  }
  std::vector<std::vector<double>> numbers;
  for (const Values& operand : operands) numbers.push_back(broadcast_numbers(operand, result.shape));
  for (std::int64_t i = 0; i < result.shape.numel(); ++i) {
    double each[8];
    for (std::size_t k = 0; k < operands.size(); ++k) each[k] = numbers[k][static_cast<std::size_t>(i)];
    result.numbers.push_back(number(each));
  }
  return result;
}

}  // namespace stretto
