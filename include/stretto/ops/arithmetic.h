#pragma once

#include <stretto/base/export.h>
#include <stretto/tensor/operand.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

// Arithmetic, element by element, of two operands: tensors, or a tensor and a number, broadcast to one shape. The
// result is a new contiguous tensor on their device, of the type that PyTorch's `result_type` gives; inputs of another
// type are converted first. A number is converted to that type too, and an integer that does not fit wraps round, as
// PyTorch does: a uint8 tensor + 300 adds 44. Integer results wrap.
//
// Each throws ShapeError when the shapes cannot be broadcast, DeviceError when the devices differ, DTypeError for types
// it does not take, UsageError when there is no tensor among the operands. Nothing blocks. `+ - * / %` are the first
// four and `remainder`.

/// Of two bool tensors: whether either is true.
STRETTO_API Tensor add(const Operand& a, const Operand& b);
/// Not of bool: DTypeError.
STRETTO_API Tensor sub(const Operand& a, const Operand& b);
/// Of two bool tensors: whether both are true.
STRETTO_API Tensor mul(const Operand& a, const Operand& b);
/// True division: integers and bool are converted to float32 first.
STRETTO_API Tensor div(const Operand& a, const Operand& b);
/// The quotient rounded towards minus infinity. Integer division by zero is an error when the value is read. Not of
/// bool.
STRETTO_API Tensor floor_divide(const Operand& a, const Operand& b);
/// What floor division leaves: it has the divisor's sign. Integer division by zero is an error when the value is read.
/// Not of bool.
STRETTO_API Tensor remainder(const Operand& a, const Operand& b);
/// `a` to the power `b`. Integers wrap; a negative power of integers is an error, at the call where it is a number and
/// else when the value is read. Not of bool.
STRETTO_API Tensor pow(const Operand& a, const Operand& b);
/// The larger of each two; NaN where either is.
STRETTO_API Tensor maximum(const Operand& a, const Operand& b);
/// The smaller of each two; NaN where either is.
STRETTO_API Tensor minimum(const Operand& a, const Operand& b);

}  // namespace stretto
