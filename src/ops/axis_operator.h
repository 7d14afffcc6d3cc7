#pragma once

#include <cstdint>
#include <initializer_list>

#include <stretto/base/call_site.h>
#include <stretto/core/dtype.h>
#include <stretto/tensor/operand.h>
#include <stretto/tensor/tensor.h>

#include "ops/operator_kernel.h"

namespace stretto {

/// Runs a kernel with `AxisParameters` along one axis of defined tensors of one shape, and returns its output, of their
/// shape and of type `result`. `axis` may count from the end; rank 0 is taken as one axis.
Tensor along_axis(const OperatorKernel& kernel, const CallSite& site, std::int64_t axis, DType result,
                  std::initializer_list<const Tensor*> inputs);

}  // namespace stretto
