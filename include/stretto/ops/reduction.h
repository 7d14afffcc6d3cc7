#pragma once

#include <cstdint>
#include <optional>

#include <stretto/base/export.h>
#include <stretto/core/dtype.h>
#include <stretto/ops/axes.h>
#include <stretto/tensor/operand.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

// One value from all elements along some axes, all of them unless said. The result is a new contiguous tensor without
// those axes, or with extent 1 in each where `keepdims` is set. Each throws IndexError for an axis that x does not
// have, ShapeError for one that is named twice, UsageError when x is a number or an undefined tensor. Nothing blocks.

/// The sum, in `dtype`: by default x's type, and int64 for integers and bool. 0 of no elements. float32 is accurate for
/// long sums, 16-bit floats are summed in float32. DTypeError for dtype bool.
STRETTO_API Tensor sum(const Operand& x, const Axes& axes = {}, bool keepdims = false,
                       std::optional<DType> dtype = std::nullopt);
/// The product, of the type that `sum` has. 1 of no elements.
STRETTO_API Tensor prod(const Operand& x, const Axes& axes = {}, bool keepdims = false,
                        std::optional<DType> dtype = std::nullopt);
/// The arithmetic mean, in `dtype`: by default x's type. DTypeError when that is no floating type. NaN of no elements.
STRETTO_API Tensor mean(const Operand& x, const Axes& axes = {}, bool keepdims = false,
                        std::optional<DType> dtype = std::nullopt);
/// The largest; NaN if there is one. ShapeError for no elements.
STRETTO_API Tensor max(const Operand& x, const Axes& axes = {}, bool keepdims = false);
/// The smallest; NaN if there is one. ShapeError for no elements.
STRETTO_API Tensor min(const Operand& x, const Axes& axes = {}, bool keepdims = false);
/// Whether any element is not zero, as bool. False of no elements.
STRETTO_API Tensor any(const Operand& x, const Axes& axes = {}, bool keepdims = false);
/// Whether no element is zero, as bool. True of no elements.
STRETTO_API Tensor all(const Operand& x, const Axes& axes = {}, bool keepdims = false);
/// The variance: squared distances from the mean, divided by their number less `correction` (1 for a sample, 0 for a
/// whole population). NaN where that is not above 0. Floating types alone (DTypeError).
STRETTO_API Tensor var(const Operand& x, const Axes& axes = {}, bool keepdims = false, double correction = 1);
/// The standard deviation: the square root of `var`.
STRETTO_API Tensor std(const Operand& x, const Axes& axes = {}, bool keepdims = false, double correction = 1);
/// The p-norm of vectors: the p-th root of the sum of |x|^p. 2 is the Euclidean one, 1 the sum of magnitudes, infinity
/// the largest magnitude, minus infinity the smallest, 0 the number of elements that are not zero. Floating types alone
/// (DTypeError). ShapeError for no elements where p is infinite.
STRETTO_API Tensor norm(const Operand& x, const Axes& axes = {}, bool keepdims = false, double p = 2);

// The position of an extreme along one axis, or among all elements in order, as int64: the first of equals; a NaN
// counts as the extreme. Not of bool (DTypeError); ShapeError for no elements.

STRETTO_API Tensor argmax(const Operand& x, std::optional<std::int64_t> axis = std::nullopt, bool keepdims = false);
STRETTO_API Tensor argmin(const Operand& x, std::optional<std::int64_t> axis = std::nullopt, bool keepdims = false);

}  // namespace stretto
