#include <cmath>
#include <string>

#include <stretto/base/error.h>
#include <stretto/ops/creation.h>

#include "kernels/parameters.h"
#include "ops/operands.h"
#include "ops/operator_kernel.h"
#include "tensor/operator_call.h"

namespace stretto {

namespace {

/// The type a number written in the program has as an element.
DType element_dtype(const Scalar& value) { return is_floating(value.dtype()) ? default_dtype : value.dtype(); }

Tensor filled(const char* name, const CallSite& site, const Shape& shape, const Scalar& value, Device device,
              DType dtype) {
  check_representable(value, dtype, name, site);
  return in_operator(name, site, [&] {
    Tensor output = make_output(shape, dtype, device);
    OperatorCall call(name, operator_kernel<"fill">().row, site);
    call.write(output);
    call.constant(value, dtype);
    apply(call);
    return output;
  });
}

Tensor filled_like(const char* name, const Operand& x, const Scalar& value, std::optional<DType> dtype) {
  const Tensor& tensor = require_tensor(x, name);
  return filled(name, x.site(), tensor.shape(), value, tensor.device(), dtype.value_or(tensor.dtype()));
}

template <class T>
Tensor computed(const OperatorKernel& kernel, const CallSite& site, const Shape& shape, Device device, DType dtype,
                const T& parameters) {
  return in_operator(kernel.name, site, [&] {
    Tensor output = make_output(shape, dtype, device);
    OperatorCall call(kernel.name, kernel.row, site);
    call.write(output);
    call.parameters(parameters);
    apply(call);
    return output;
  });
}

void check_direction(bool forwards, bool backwards, const Scalar& start, const Scalar& end, const Scalar& step,
                     const CallSite& site) {
  if (forwards || backwards) return;
  throw UsageError("arange",
                   "a step of " + to_string(step) + " does not lead from " + to_string(start) + " to " + to_string(end),
                   site);
}

/// How many elements there are from `start` before `end`.
std::int64_t integer_count(std::int64_t start, std::int64_t end, std::int64_t step) {
  const __int128 distance = static_cast<__int128>(end) - start;
  const __int128 towards = step > 0 ? step - 1 : step + 1;
  return static_cast<std::int64_t>((distance + towards) / step);
}

struct NoParameters {};

}  // namespace

Tensor zeros(const Shape& shape, Device device, DType dtype, CallSite site) {
  return filled("zeros", site, shape, 0, device, dtype);
}

Tensor ones(const Shape& shape, Device device, DType dtype, CallSite site) {
  return filled("ones", site, shape, 1, device, dtype);
}

Tensor full(const Shape& shape, const Scalar& value, Device device, std::optional<DType> dtype, CallSite site) {
  return filled("full", site, shape, value, device, dtype.value_or(element_dtype(value)));
}

Tensor arange(const Scalar& end, Device device, std::optional<DType> dtype, CallSite site) {
  return arange(0, end, 1, device, dtype, site);
}

Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, Device device, std::optional<DType> dtype,
              CallSite site) {
  const OperatorKernel kernel = operator_kernel<"arange">();
  const bool integers = !is_floating(start.dtype()) && !is_floating(end.dtype()) && !is_floating(step.dtype());
  const DType result =
      computing_dtype(Takes::numbers, dtype.value_or(integers ? DType::int64 : default_dtype), kernel.name, site);
  ArangeParameters parameters{};
  std::int64_t count = 0;
  if (integers || is_integral(result)) {
    in_operator(kernel.name, site, [&] {
      parameters.integer_start = start.to<std::int64_t>();
      parameters.integer_step = step.to<std::int64_t>();
      const std::int64_t stop = end.to<std::int64_t>();
      check_direction(parameters.integer_step > 0 && parameters.integer_start <= stop,
                      parameters.integer_step < 0 && parameters.integer_start >= stop, start, end, step, site);
      count = integer_count(parameters.integer_start, stop, parameters.integer_step);
    });
    parameters.start = static_cast<double>(parameters.integer_start);
    parameters.step = static_cast<double>(parameters.integer_step);
    if (count > 0 && is_integral(result)) {
      check_representable(start, result, kernel.name, site);
      check_representable(parameters.integer_start + (count - 1) * parameters.integer_step, result, kernel.name, site);
    }
  } else {
    parameters.start = start.to<double>();
    parameters.step = step.to<double>();
    const double stop = end.to<double>();
    check_direction(parameters.step > 0 && parameters.start <= stop, parameters.step < 0 && parameters.start >= stop,
                    start, end, step, site);
    const double length = std::ceil((stop - parameters.start) / parameters.step);
    if (!(length < 0x1p62)) {
      throw UsageError(kernel.name, "there are too many numbers from " + to_string(start) + " to " + to_string(end),
                       site);
    }
    count = static_cast<std::int64_t>(length);
  }
  return computed(kernel, site, {count}, device, result, parameters);
}

Tensor linspace(double start, double end, std::int64_t steps, Device device, DType dtype, CallSite site) {
  const OperatorKernel kernel = operator_kernel<"linspace">();
  computing_dtype(Takes::floats, dtype, kernel.name, site);
  if (steps < 0) throw UsageError(kernel.name, "there cannot be " + std::to_string(steps) + " steps", site);
  const double step = steps > 1 ? (end - start) / static_cast<double>(steps - 1) : 0;
  return computed(kernel, site, {steps}, device, dtype, LinspaceParameters{start, end, step});
}

Tensor eye(std::int64_t rows, std::int64_t columns, Device device, DType dtype, CallSite site) {
  const OperatorKernel kernel = operator_kernel<"eye">();
  const Shape shape = in_operator(kernel.name, site, [&] { return Shape{rows, columns}; });
  return computed(kernel, site, shape, device, dtype, NoParameters());
}

Tensor eye(std::int64_t rows, Device device, DType dtype, CallSite site) {
  return eye(rows, rows, device, dtype, site);
}

Tensor empty_like(const Operand& x, std::optional<DType> dtype) {
  const Tensor& tensor = require_tensor(x, "empty_like");
  return in_operator("empty_like", x.site(),
                     [&] { return make_output(tensor.shape(), dtype.value_or(tensor.dtype()), tensor.device()); });
}

Tensor zeros_like(const Operand& x, std::optional<DType> dtype) { return filled_like("zeros_like", x, 0, dtype); }

Tensor ones_like(const Operand& x, std::optional<DType> dtype) { return filled_like("ones_like", x, 1, dtype); }

Tensor full_like(const Operand& x, const Scalar& value, std::optional<DType> dtype) {
  return filled_like("full_like", x, value, dtype);
}

}  // namespace stretto
