#pragma once

#include <stretto/base/export.h>
#include <stretto/tensor/operand.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

// Choosing between values, element by element. Operands are broadcast to one shape; the result is a new contiguous
// tensor on their device. Each throws ShapeError when the shapes cannot be broadcast, DeviceError when the devices
// differ. Nothing blocks.

/// `a` where `condition` holds, else `b`, in the common type of a and b. `condition` is a bool tensor (DTypeError).
STRETTO_API Tensor where(const Operand& condition, const Operand& a, const Operand& b);

/// x, with `value` where `mask` holds, in x's type. `mask` is a bool tensor (DTypeError). `value` is a number that x's
/// type can hold (DTypeError; a fraction is dropped for integers), or a tensor of rank 0 (ShapeError), which is
/// converted.
STRETTO_API Tensor masked_fill(const Operand& x, const Operand& mask, const Operand& value);

/// x, but at least `low` and at most `high`, in the common type; `high` where low > high. NaN stays NaN. Not of bool; a
/// number must fit the common type (DTypeError).
STRETTO_API Tensor clamp(const Operand& x, const Operand& low, const Operand& high);
/// x, but at least `low`.
STRETTO_API Tensor clamp_min(const Operand& x, const Operand& low);
/// x, but at most `high`.
STRETTO_API Tensor clamp_max(const Operand& x, const Operand& high);

}  // namespace stretto
