#include <atomic>
#include <span>
#include <string>
#include <string_view>

#include <stretto/base/error.h>
#include <stretto/ops/matmul.h>

#include "kernels/parameters.h"
#include "ops/operands.h"
#include "ops/operator_kernel.h"
#include "tensor/operator_call.h"

namespace stretto {

namespace {

std::string shapes(const Tensor& a, const Tensor& b) { return to_string(a.shape()) + " and " + to_string(b.shape()); }

void check_dtypes(const Tensor& a, const Tensor& b, const char* operator_name, const CallSite& site) {
  if (a.dtype() != b.dtype()) {
    throw DTypeError(
        operator_name,
        "takes tensors of one type, not " + std::string(name(a.dtype())) + " and " + std::string(name(b.dtype())),
        site);
  }
  computing_dtype(Takes::numbers, a.dtype(), operator_name, site);
}

void check_depth(std::int64_t columns, std::int64_t rows, const Tensor& a, const Tensor& b, const char* name,
                 const CallSite& site) {
  if (columns == rows) return;
  throw ShapeError(name,
                   "shapes " + shapes(a, b) + " do not match: " + std::to_string(columns) + " columns against " +
                       std::to_string(rows) + " rows",
                   site);
}

/// The axes before the last two.
Shape batch_of(const Shape& shape) { return Shape(std::span(shape.begin(), shape.end() - 2)); }

Shape broadcast_batch(const Shape& left, const Shape& right, const Tensor& a, const Tensor& b) {
  if (left == right) return left;
  try {
    return broadcast_shapes(left, right);
  } catch (const ShapeError&) {
    throw ShapeError("leading axes of shapes " + shapes(a, b) + " cannot be broadcast");
  }
}

Shape with_matrix(Shape batch, std::int64_t rows, std::int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

}  // namespace

namespace {

std::atomic<bool> reduced_precision{false};

}  // namespace

void set_float32_matmul_precision(std::string_view precision) {
  if (precision != "highest" && precision != "high") {
    throw UsageError("set_float32_matmul_precision takes \"highest\" or \"high\", not \"" + std::string(precision) +
                     "\"");
  }
  reduced_precision.store(precision == "high", std::memory_order_relaxed);
}

std::string_view float32_matmul_precision() {
  return reduced_precision.load(std::memory_order_relaxed) ? "high" : "highest";
}

Tensor matmul(const Operand& a_operand, const Operand& b_operand) {
  const OperatorKernel kernel = operator_kernel<"matmul">();
  const CallSite& site = a_operand.site();
  const Tensor& a = require_tensor(a_operand, kernel.name);
  const Tensor& b = require_tensor(b_operand, kernel.name);
  if (a.rank() == 0 || b.rank() == 0) {
    throw ShapeError(kernel.name, "takes at least one axis on each side, not shapes " + shapes(a, b), site);
  }
  check_dtypes(a, b, kernel.name, site);

  // A vector is a row on the left and a column on the right.
  const bool is_row = a.rank() == 1;
  const bool is_column = b.rank() == 1;
  const Tensor left = is_row ? a.unsqueeze(0, site) : a;
  const Tensor right = is_column ? b.unsqueeze(1, site) : b;
  const std::int64_t rows = left.size(-2), depth = left.size(-1), columns = right.size(-1);
  check_depth(depth, right.size(-2), a, b, kernel.name, site);
  return in_operator(kernel.name, site, [&] {
    const Shape left_batch = batch_of(left.shape());
    const Shape right_batch = batch_of(right.shape());
    const Shape batch = broadcast_batch(left_batch, right_batch, a, b);
    const Shape product = with_matrix(batch, rows, columns);
    const Shape left_shape = with_matrix(batch, rows, depth);
    const Shape right_shape = with_matrix(batch, depth, columns);
    Shape shape = product;
    if (is_column) shape.erase(shape.rank() - 1);
    if (is_row) shape.erase(is_column ? shape.rank() - 1 : shape.rank() - 2);

    Tensor output = make_output(shape, a.dtype(), a.device());
    const Tensor seen = is_row || is_column ? output.reshape(product, site) : output;
    OperatorCall call(kernel.name, kernel.row, site);
    call.write(seen);
    call.read(left, left_shape);
    call.read(right, right_shape);
    call.parameters(MatmulParameters{.reduced = reduced_precision.load(std::memory_order_relaxed)});
    apply(call);
    return output;
  });
}

namespace {

Tensor scaled_sum(const OperatorKernel& kernel, const Operand& c_operand, const Operand& a_operand,
                  const Operand& b_operand, const Scalar& beta, const Scalar& alpha) {
  const CallSite& site = c_operand.site();
  const Tensor& c = require_tensor(c_operand, kernel.name);
  const Tensor& a = require_tensor(a_operand, kernel.name);
  const Tensor& b = require_tensor(b_operand, kernel.name);
  if (a.rank() != 2 || b.rank() != 2) {
    throw ShapeError(kernel.name, "takes the product of two matrices, not of shapes " + shapes(a, b), site);
  }
  check_dtypes(a, b, kernel.name, site);
  check_dtypes(a, c, kernel.name, site);
  check_depth(a.size(1), b.size(0), a, b, kernel.name, site);
  for (const Scalar& factor : {beta, alpha}) {
    if (!is_floating(a.dtype()) && is_floating(factor.dtype())) {
      throw DTypeError(kernel.name,
                       "the factor " + to_string(factor) + " must be an integer for " + std::string(name(a.dtype())),
                       site);
    }
  }
  return in_operator(kernel.name, site, [&] {
    const Shape shape{a.size(0), b.size(1)};
    Tensor output = make_output(shape, a.dtype(), a.device());
    OperatorCall call(kernel.name, kernel.row, site);
    call.write(output);
    call.read(c, shape);
    call.read(a);
    call.read(b);
    call.parameters(AddmmParameters{.alpha = alpha.to<double>(),
                                    .beta = beta.to<double>(),
                                    .reduced = reduced_precision.load(std::memory_order_relaxed)});
    apply(call);
    return output;
  });
}

}  // namespace

Tensor addmm(const Operand& c, const Operand& a, const Operand& b, const Scalar& beta, const Scalar& alpha) {
  return scaled_sum(operator_kernel<"addmm">(), c, a, b, beta, alpha);
}

Tensor addmm_relu(const Operand& c, const Operand& a, const Operand& b) {
  return scaled_sum(operator_kernel<"addmm_relu">(), c, a, b, 1, 1);
}

Tensor matmul_relu_backward(const Operand& a_operand, const Operand& b_operand, const Operand& x_operand) {
  const OperatorKernel kernel = operator_kernel<"matmul_relu_backward">();
  const CallSite& site = a_operand.site();
  const Tensor& a = require_tensor(a_operand, kernel.name);
  const Tensor& b = require_tensor(b_operand, kernel.name);
  const Tensor& x = require_tensor(x_operand, kernel.name);
  if (a.rank() != 2 || b.rank() != 2) {
    throw ShapeError(kernel.name, "takes the product of two matrices, not of shapes " + shapes(a, b), site);
  }
  check_dtypes(a, b, kernel.name, site);
  check_dtypes(a, x, kernel.name, site);
  computing_dtype(Takes::floats, a.dtype(), kernel.name, site);
  check_depth(a.size(1), b.size(0), a, b, kernel.name, site);
  const Shape shape{a.size(0), b.size(1)};
  if (!(x.shape() == shape)) {
    throw ShapeError(kernel.name,
                     "the gradient of relu(x) is of shape " + to_string(shape) + ", and x of " + to_string(x.shape()),
                     site);
  }
  return in_operator(kernel.name, site, [&] {
    Tensor output = make_output(shape, a.dtype(), a.device());
    OperatorCall call(kernel.name, kernel.row, site);
    call.write(output);
    call.read(a);
    call.read(b);
    call.read(x);
    call.parameters(MatmulParameters{.reduced = reduced_precision.load(std::memory_order_relaxed)});
    apply(call);
    return output;
  });
}

namespace {

Tensor linear(const Operand& x_operand, const Operand& weight_operand, const Operand* bias, bool with_relu) {
  const char* const name = with_relu ? "linear_relu" : "linear";
  const CallSite& site = x_operand.site();
  const Tensor& x = require_tensor(x_operand, name);
  const Tensor& weight = require_tensor(weight_operand, name);
  if (x.rank() == 0 || weight.rank() != 2 || x.size(-1) != weight.size(1)) {
    throw ShapeError(name, "takes x (..., inputs) and a weight (outputs, inputs), not shapes " + shapes(x, weight),
                     site);
  }
  const std::int64_t outputs = weight.size(0);
  if (bias && !(require_tensor(*bias, name).shape() == Shape{outputs})) {
    throw ShapeError(name,
                     "a weight " + to_string(weight.shape()) + " takes a bias of shape " + to_string(Shape{outputs}) +
                         ", not " + to_string(bias->tensor().shape()),
                     site);
  }
  return in_operator(name, site, [&] {
    const auto on = [&site](const Tensor& tensor) { return Operand(tensor, site); };
    Shape shape = x.shape();
    const std::int64_t inputs = shape[shape.rank() - 1];
    shape.erase(shape.rank() - 1);
    const Tensor rows = x.rank() == 2 ? x : x.reshape({shape.numel(), inputs}, site);
    shape.push_back(outputs);
    const Tensor columns = weight.t(site);
    const auto product = [&] {
      if (bias == nullptr) return matmul(on(rows), on(columns));
      return with_relu ? addmm_relu(on(bias->tensor()), on(rows), on(columns))
                       : addmm(on(bias->tensor()), on(rows), on(columns));
    };
    const Tensor result = product();
    return x.rank() == 2 ? result : result.reshape(shape, site);
  });
}

}  // namespace

Tensor linear(const Operand& x, const Operand& weight) { return linear(x, weight, nullptr, false); }

Tensor linear(const Operand& x, const Operand& weight, const Operand& bias) { return linear(x, weight, &bias, false); }

Tensor linear_relu(const Operand& x, const Operand& weight, const Operand& bias) {
  return linear(x, weight, &bias, true);
}

}  // namespace stretto
