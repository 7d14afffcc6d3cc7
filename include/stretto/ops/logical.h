#pragma once

#include <stretto/base/export.h>
#include <stretto/tensor/operand.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

// Logic of elements and of their bits. Operands are broadcast to one shape; the result is a new contiguous tensor on
// their device. Each throws ShapeError when the shapes cannot be broadcast, DeviceError when the devices differ,
// UsageError when there is no tensor among them. Nothing blocks.

// Any type is taken, numbers other than zero (NaN among them) are true, and the result is bool. `!x` is `logical_not`.

STRETTO_API Tensor logical_and(const Operand& a, const Operand& b);
STRETTO_API Tensor logical_or(const Operand& a, const Operand& b);
STRETTO_API Tensor logical_xor(const Operand& a, const Operand& b);
STRETTO_API Tensor logical_not(const Operand& x);

// Integers in their common type, or bool, where they are logic; DTypeError for floating types. They are `& | ^ ~`.

STRETTO_API Tensor bitwise_and(const Operand& a, const Operand& b);
STRETTO_API Tensor bitwise_or(const Operand& a, const Operand& b);
STRETTO_API Tensor bitwise_xor(const Operand& a, const Operand& b);
STRETTO_API Tensor bitwise_not(const Operand& x);

}  // namespace stretto
