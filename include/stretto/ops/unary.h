#pragma once

#include <stretto/base/export.h>
#include <stretto/tensor/operand.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

// Functions of one number, applied to each element. The result is a new contiguous tensor of x's shape, on its device.
// Each throws UsageError when x is a number or an undefined tensor, DTypeError for a type it does not take. Nothing
// blocks.

// These keep the type, and do not take bool.

/// -x. Integers wrap: the lowest is its own negative.
STRETTO_API Tensor neg(const Operand& x);
/// Integers wrap: the lowest stays.
STRETTO_API Tensor abs(const Operand& x);
/// -1, 0 or 1; NaN for NaN.
STRETTO_API Tensor sign(const Operand& x);
/// x * x. Integers wrap.
STRETTO_API Tensor square(const Operand& x);
STRETTO_API Tensor floor(const Operand& x);
STRETTO_API Tensor ceil(const Operand& x);
/// To the nearest integer, halves to the even one.
STRETTO_API Tensor round(const Operand& x);
/// Towards zero.
STRETTO_API Tensor trunc(const Operand& x);

// These compute in a floating type: integers and bool are converted to float32 first.

STRETTO_API Tensor exp(const Operand& x);
/// exp(x) - 1, exact near 0.
STRETTO_API Tensor expm1(const Operand& x);
/// The natural logarithm.
STRETTO_API Tensor log(const Operand& x);
/// log(1 + x), exact near 0.
STRETTO_API Tensor log1p(const Operand& x);
STRETTO_API Tensor log2(const Operand& x);
STRETTO_API Tensor sqrt(const Operand& x);
/// 1 / sqrt(x).
STRETTO_API Tensor rsqrt(const Operand& x);
/// 1 / x.
STRETTO_API Tensor reciprocal(const Operand& x);
/// x in radians, as for the next two.
STRETTO_API Tensor sin(const Operand& x);
STRETTO_API Tensor cos(const Operand& x);
STRETTO_API Tensor tan(const Operand& x);
/// The error function.
STRETTO_API Tensor erf(const Operand& x);

}  // namespace stretto
