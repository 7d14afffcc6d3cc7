#pragma once

#include <functional>
#include <vector>

#include "ops/values.h"

namespace stretto {

/// What an elementwise operator gives: operands are read as of one shape, and `number` gets one number of each.
Values broadcast_reference(const std::vector<Values>& operands, const std::function<double(const double*)>& number);

/// The numbers of `values`, repeated to `shape`.
std::vector<double> broadcast_numbers(const Values& values, const Shape& shape);

}  // namespace stretto
