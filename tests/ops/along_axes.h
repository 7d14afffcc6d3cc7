#pragma once

#include <functional>
#include <vector>

#include "ops/values.h"

namespace stretto {

/// The numbers along some axes, for each place of the others in order: what a reduction over these axes works on.
std::vector<std::vector<double>> gather_along(const Values& x, const std::vector<int>& axes);

/// The shape that reducing these axes leaves.
Shape reduced_shape(const Shape& shape, const std::vector<int>& axes, bool keepdims);

/// Each line of numbers along an axis replaced by what `line` makes of it: of the same length, or `extent` numbers.
Values map_lines(const Values& x, int axis, std::int64_t extent,
                 const std::function<std::vector<double>(const std::vector<double>&)>& line);

}  // namespace stretto
