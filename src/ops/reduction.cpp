#include <cmath>
#include <string>

#include <stretto/base/error.h>
#include <stretto/ops/arithmetic.h>
#include <stretto/ops/comparison.h>
#include <stretto/ops/reduction.h>
#include <stretto/ops/unary.h>

#include "kernels/parameters.h"
#include "ops/operands.h"
#include "ops/operator_kernel.h"
#include "tensor/operator_call.h"

namespace stretto {

namespace {

/// Which axes of a shape are reduced, and the shapes that leaves.
struct ReducedShape {
  Shape kept;              ///< Reduced axes have extent 1.
  Shape dropped;           ///< Reduced axes are gone.
  std::int64_t count = 1;  ///< How many elements make one.
};

ReducedShape reduced_shape(const Shape& shape, const Axes& axes, const char* name, const CallSite& site) {
  bool reduced[max_rank] = {};
  for (const std::int64_t written : axes.list()) {
    const int axis = checked_axis(written, shape, name, site);
    if (reduced[axis]) {
      throw ShapeError(name, "axis " + std::to_string(written) + " is named twice in " + to_string(axes.list()), site);
    }
    reduced[axis] = true;
  }
  ReducedShape result;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const bool gone = axes.all() || reduced[axis];
    result.kept.push_back(gone ? 1 : shape[axis]);
    if (gone) {
      result.count *= shape[axis];
    } else {
      result.dropped.push_back(shape[axis]);
    }
  }
  return result;
}

/// Runs the kernel on `input`, which it reads as it is.
template <class Parameter>
Tensor reduce(const OperatorKernel& kernel, const CallSite& site, const Tensor& input, const ReducedShape& shape,
              bool keepdims, DType result, const Parameter& parameters) {
  return in_operator(kernel.name, site, [&] {
    Tensor output = make_output(keepdims ? shape.kept : shape.dropped, result, input.device());
    const Tensor seen = keepdims ? output : output.reshape(shape.kept, site);
    OperatorCall call(kernel.name, kernel.row, site);
    call.write(seen);
    call.read(input);
    call.parameters(parameters);
    apply(call);
    return output;
  });
}

struct NoParameters {};

Tensor total(const OperatorKernel& kernel, const Operand& x, const Axes& axes, bool keepdims,
             std::optional<DType> wanted) {
  const Tensor& tensor = require_tensor(x, kernel.name);
  const ReducedShape shape = reduced_shape(tensor.shape(), axes, kernel.name, x.site());
  const DType dtype = total_dtype(tensor.dtype(), wanted, kernel.name, x.site());
  // Kernels add integers of any type into int64.
  const bool widens = dtype == DType::int64 && !is_floating(tensor.dtype());
  const Tensor input = widens ? tensor : tensor.to(dtype, x.site());
  return reduce(kernel, x.site(), input, shape, keepdims, dtype, NoParameters());
}

Tensor extreme(const OperatorKernel& kernel, const Operand& x, const Axes& axes, bool keepdims) {
  const Tensor& tensor = require_tensor(x, kernel.name);
  const ReducedShape shape = reduced_shape(tensor.shape(), axes, kernel.name, x.site());
  if (shape.count == 0) {
    throw ShapeError(kernel.name, "shape " + to_string(tensor.shape()) + " has no elements along the axes to reduce",
                     x.site());
  }
  return reduce(kernel, x.site(), tensor, shape, keepdims, tensor.dtype(), NoParameters());
}

Tensor question(const OperatorKernel& kernel, const Operand& x, const Axes& axes, bool keepdims) {
  const Tensor& tensor = require_tensor(x, kernel.name);
  const ReducedShape shape = reduced_shape(tensor.shape(), axes, kernel.name, x.site());
  return reduce(kernel, x.site(), tensor, shape, keepdims, DType::bool_, NoParameters());
}

Tensor position(const OperatorKernel& kernel, const Operand& x, std::optional<std::int64_t> axis, bool keepdims) {
  const CallSite& site = x.site();
  const Tensor& tensor = require_tensor(x, kernel.name);
  computing_dtype(Takes::numbers, tensor.dtype(), kernel.name, site);
  const ReducedShape shape = reduced_shape(tensor.shape(), axis ? Axes(*axis) : Axes(), kernel.name, site);
  if (shape.count == 0) {
    throw ShapeError(kernel.name, "shape " + to_string(tensor.shape()) + " has no elements along the axis to search",
                     site);
  }
  if (axis && tensor.rank() > 0) {
    const AxisParameters parameters{.axis = checked_axis(*axis, tensor.shape(), kernel.name, site),
                                    .descending = false};
    return reduce(kernel, site, tensor, shape, keepdims, DType::int64, parameters);
  }
  const Tensor flat = tensor.reshape({tensor.numel()}, site);
  const ReducedShape one{.kept = {1}, .dropped = {}, .count = shape.count};
  const Tensor result = reduce(kernel, site, flat, one, false, DType::int64, AxisParameters{0, false});
  return keepdims ? result.reshape(shape.kept, site) : result;
}

}  // namespace

Tensor sum(const Operand& x, const Axes& axes, bool keepdims, std::optional<DType> dtype) {
  return total(operator_kernel<"sum">(), x, axes, keepdims, dtype);
}

Tensor prod(const Operand& x, const Axes& axes, bool keepdims, std::optional<DType> dtype) {
  return total(operator_kernel<"prod">(), x, axes, keepdims, dtype);
}

Tensor mean(const Operand& x, const Axes& axes, bool keepdims, std::optional<DType> dtype) {
  const OperatorKernel kernel = operator_kernel<"mean">();
  const Tensor& tensor = require_tensor(x, kernel.name);
  const ReducedShape shape = reduced_shape(tensor.shape(), axes, kernel.name, x.site());
  const DType computed = dtype.value_or(tensor.dtype());
  if (!is_floating(computed)) {
    throw DTypeError(kernel.name,
                     "the mean of " + std::string(name(computed)) + " is no " + std::string(name(computed)) +
                         ": name a floating dtype",
                     x.site());
  }
  return reduce(kernel, x.site(), tensor.to(computed, x.site()), shape, keepdims, computed, NoParameters());
}

Tensor max(const Operand& x, const Axes& axes, bool keepdims) {
  return extreme(operator_kernel<"max">(), x, axes, keepdims);
}

Tensor min(const Operand& x, const Axes& axes, bool keepdims) {
  return extreme(operator_kernel<"min">(), x, axes, keepdims);
}

Tensor any(const Operand& x, const Axes& axes, bool keepdims) {
  return question(operator_kernel<"any">(), x, axes, keepdims);
}

Tensor all(const Operand& x, const Axes& axes, bool keepdims) {
  return question(operator_kernel<"all">(), x, axes, keepdims);
}

Tensor var(const Operand& x, const Axes& axes, bool keepdims, double correction) {
  const OperatorKernel kernel = operator_kernel<"var">();
  const Tensor& tensor = require_tensor(x, kernel.name);
  const ReducedShape shape = reduced_shape(tensor.shape(), axes, kernel.name, x.site());
  const DType dtype = computing_dtype(Takes::floats, tensor.dtype(), kernel.name, x.site());
  return reduce(kernel, x.site(), tensor, shape, keepdims, dtype, VarianceParameters{correction});
}

Tensor std(const Operand& x, const Axes& axes, bool keepdims, double correction) {
  return in_operator("std", x.site(), [&] {
    const Tensor variance = var(x, axes, keepdims, correction);
    return sqrt(Operand(variance, x.site()));
  });
}

Tensor norm(const Operand& x, const Axes& axes, bool keepdims, double p) {
  const CallSite& site = x.site();
  const auto on = [&site](const Tensor& tensor) { return Operand(tensor, site); };
  return in_operator("norm", site, [&] {
    computing_dtype(Takes::floats, require_tensor(x, "norm").dtype(), "norm", site);
    if (p == 2) return sqrt(on(sum(on(square(x)), axes, keepdims)));
    if (p == 0) return sum(on(ne(x, 0)), axes, keepdims, x.tensor().dtype());
    const Tensor magnitude = abs(x);
    if (std::isinf(p)) return p > 0 ? max(on(magnitude), axes, keepdims) : min(on(magnitude), axes, keepdims);
    if (p == 1) return sum(on(magnitude), axes, keepdims);
    return pow(on(sum(on(pow(on(magnitude), p)), axes, keepdims)), 1 / p);
  });
}

Tensor argmax(const Operand& x, std::optional<std::int64_t> axis, bool keepdims) {
  return position(operator_kernel<"argmax">(), x, axis, keepdims);
}

Tensor argmin(const Operand& x, std::optional<std::int64_t> axis, bool keepdims) {
  return position(operator_kernel<"argmin">(), x, axis, keepdims);
}

}  // namespace stretto
