#include <string>

#include <stretto/base/error.h>
#include <stretto/ops/arithmetic.h>
#include <stretto/ops/indexing.h>

#include "kernels/parameters.h"
#include "ops/operands.h"
#include "ops/operator_kernel.h"
#include "tensor/operator_call.h"

namespace stretto {

namespace {

std::string shapes(const Shape& a, const Shape& b) { return to_string(a) + " and " + to_string(b); }

/// Positions along one axis: a vector of int64.
Tensor vector_of_positions(const Operand& operand, const char* name, const CallSite& site) {
  const Tensor& index = require_tensor(operand, name);
  if (index.rank() > 1) {
    throw ShapeError(name, "the index must be a vector, not of shape " + to_string(index.shape()), site);
  }
  return with_an_axis(as_positions(index, "the index", name, site), site);
}

AxisParameters parameters_of(int axis) { return {.axis = axis, .descending = false}; }

}  // namespace

Tensor gather(const Operand& x_operand, std::int64_t axis, const Operand& index_operand) {
  const OperatorKernel kernel = operator_kernel<"gather">();
  const CallSite& site = x_operand.site();
  const Tensor& x = require_tensor(x_operand, kernel.name);
  const Tensor& index = require_tensor(index_operand, kernel.name);
  const Tensor positions = as_positions(index, "the index", kernel.name, site);
  const int along = checked_axis(axis, x.shape(), kernel.name, site);
  const Shape& shape = index.shape();
  bool fits = shape.rank() == x.rank();
  for (int i = 0; fits && i < shape.rank(); ++i) fits = i == along || shape[i] <= x.shape()[i];
  if (!fits) {
    throw ShapeError(kernel.name,
                     "x and index of shapes " + shapes(x.shape(), shape) +
                         " must have one rank, and the index be no longer but along axis " + std::to_string(along),
                     site);
  }
  return in_operator(kernel.name, site, [&] {
    Tensor source = with_an_axis(x, site);
    for (int i = 0; i < shape.rank(); ++i) {
      if (i != along && shape[i] < x.shape()[i]) source = source.narrow(i, 0, shape[i], site);
    }
    Tensor output = make_output(shape, x.dtype(), x.device());
    const Tensor seen = with_an_axis(output, site);
    const Tensor seen_positions = with_an_axis(positions, site);
    OperatorCall call(kernel.name, kernel.row, site);
    call.write(seen);
    call.read(source);
    call.read(seen_positions);
    call.parameters(parameters_of(along));
    apply(call);
    return output;
  });
}

Tensor index_select(const Operand& x_operand, std::int64_t axis, const Operand& index) {
  const OperatorKernel kernel = operator_kernel<"index_select">();
  const CallSite& site = x_operand.site();
  const Tensor& x = require_tensor(x_operand, kernel.name);
  if (x.rank() == 0) throw ShapeError(kernel.name, "takes a tensor with at least one axis", site);
  const int along = checked_axis(axis, x.shape(), kernel.name, site);
  const Tensor positions = vector_of_positions(index, kernel.name, site);
  return in_operator(kernel.name, site, [&] {
    Shape shape = x.shape();
    shape[along] = positions.numel();
    Tensor output = make_output(shape, x.dtype(), x.device());
    OperatorCall call(kernel.name, kernel.row, site);
    call.write(output);
    call.read(x);
    call.read(positions);
    call.parameters(parameters_of(along));
    apply(call);
    return output;
  });
}

Tensor index_add(const Operand& x_operand, std::int64_t axis, const Operand& index, const Operand& source_operand,
                 const Scalar& alpha) {
  const OperatorKernel kernel = operator_kernel<"index_add">();
  const CallSite& site = x_operand.site();
  const Tensor& x = require_tensor(x_operand, kernel.name);
  const Tensor& source = require_tensor(source_operand, kernel.name);
  if (x.rank() == 0) throw ShapeError(kernel.name, "takes a tensor with at least one axis", site);
  const int along = checked_axis(axis, x.shape(), kernel.name, site);
  const Tensor positions = vector_of_positions(index, kernel.name, site);
  if (source.dtype() != x.dtype()) {
    throw DTypeError(kernel.name,
                     "cannot add " + std::string(name(source.dtype())) + " to " + std::string(name(x.dtype())), site);
  }
  Shape expected = x.shape();
  expected[along] = positions.numel();
  if (!(source.shape() == expected)) {
    throw ShapeError(kernel.name,
                     "the source must be of shape " + to_string(expected) + ", not " + to_string(source.shape()), site);
  }
  const bool scaled = alpha.to<double>() != 1;
  if (scaled) {
    if (is_floating(alpha.dtype()) && !is_floating(x.dtype())) {
      throw DTypeError(kernel.name,
                       "the factor " + to_string(alpha) + " must be an integer for " + std::string(name(x.dtype())),
                       site);
    }
    check_representable(alpha, x.dtype(), kernel.name, site);
  }
  return in_operator(kernel.name, site, [&] {
    const Tensor added = scaled ? mul(Operand(source, site), Operand(alpha, site)) : source;
    const Tensor output = x.clone(site);
    OperatorCall call(kernel.name, kernel.row, site);
    call.read_write(output);
    call.read(positions);
    call.read(added);
    call.parameters(parameters_of(along));
    apply(call);
    return output;
  });
}

Tensor one_hot(const Operand& index_operand, std::int64_t classes) {
  const OperatorKernel kernel = operator_kernel<"one_hot">();
  const CallSite& site = index_operand.site();
  const Tensor& index = require_tensor(index_operand, kernel.name);
  const Tensor positions = as_positions(index, "the index", kernel.name, site);
  if (classes <= 0) {
    throw UsageError(kernel.name, "the number of classes must be positive, not " + std::to_string(classes), site);
  }
  return in_operator(kernel.name, site, [&] {
    Shape shape = index.shape();
    shape.push_back(classes);
    Tensor output = make_output(shape, DType::int64, index.device());
    OperatorCall call(kernel.name, kernel.row, site);
    call.write(output);
    call.read(positions);
    apply(call);
    return output;
  });
}

}  // namespace stretto
