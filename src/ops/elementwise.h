#pragma once

#include <initializer_list>

#include <stretto/core/dtype.h>
#include <stretto/tensor/operand.h>
#include <stretto/tensor/tensor.h>

#include "ops/operands.h"
#include "ops/operator_kernel.h"

namespace stretto {

/// An operand, and the type in which an elementwise kernel reads it.
struct ElementwiseInput {
  const Operand& operand;
  DType dtype;
};

/// Applies an elementwise kernel to operands, broadcast and converted, and returns its result, of type `result`. At
/// least one operand is a tensor (UsageError); ShapeError when they cannot be broadcast.
Tensor elementwise(const OperatorKernel& kernel, const CallSite& site, DType result,
                   std::initializer_list<ElementwiseInput> inputs);

/// An elementwise function of one tensor; the result has the type it is computed in.
Tensor elementwise(const OperatorKernel& kernel, const Operand& x, Takes takes);
/// The same of two operands in their common type.
Tensor elementwise(const OperatorKernel& kernel, const Operand& a, const Operand& b, Takes takes);
/// A question of one tensor: the result is bool.
Tensor elementwise_test(const OperatorKernel& kernel, const Operand& x);
/// A question of two operands, asked in their common type.
Tensor elementwise_test(const OperatorKernel& kernel, const Operand& a, const Operand& b);

/// Throws UsageError unless each tensor is defined and there is at least one.
void check_operands(const OperatorKernel& kernel, const Operand& a, const Operand& b);

}  // namespace stretto
