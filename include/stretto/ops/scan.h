#pragma once

#include <cstdint>
#include <optional>

#include <stretto/base/export.h>
#include <stretto/core/dtype.h>
#include <stretto/tensor/operand.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

// Running totals along an axis, in `dtype`: by default x's type, and int64 for integers and bool. The result is a new
// contiguous tensor of x's shape. IndexError for an axis that x does not have, DTypeError for dtype bool, UsageError
// when x is a number or an undefined tensor. Nothing blocks.

/// Element i is the sum of elements 0 to i.
STRETTO_API Tensor cumsum(const Operand& x, std::int64_t axis, std::optional<DType> dtype = std::nullopt);
/// Element i is the product of elements 0 to i.
STRETTO_API Tensor cumprod(const Operand& x, std::int64_t axis, std::optional<DType> dtype = std::nullopt);

}  // namespace stretto
