#include <string>

#include <stretto/base/error.h>
#include <stretto/ops/arithmetic.h>
#include <stretto/ops/loss.h>
#include <stretto/ops/reduction.h>

#include "ops/operands.h"
#include "ops/operator_kernel.h"
#include "tensor/operator_call.h"

namespace stretto {

namespace {

struct Batch {
  const Tensor& logits;
  Tensor labels;  ///< As int64.
  Shape rows;     ///< (N)
};

Batch check_batch(const Operand& logits_operand, const Operand& labels_operand, const char* name,
                  const CallSite& site) {
  const Tensor& logits = require_tensor(logits_operand, name);
  const Tensor& labels = require_tensor(labels_operand, name);
  computing_dtype(Takes::floats, logits.dtype(), name, site);
  const Shape& shape = logits.shape();
  if (shape.rank() != 2) {
    throw ShapeError(name, "takes logits of shape (rows, classes), not " + to_string(shape), site);
  }
  const Shape rows{shape[0]};
  if (!(labels.shape() == rows)) {
    throw ShapeError(name,
                     "logits " + to_string(shape) + " need one label a row, of shape " + to_string(rows) + ", not " +
                         to_string(labels.shape()),
                     site);
  }
  return {logits, as_positions(labels, "labels", name, site), rows};
}

}  // namespace

Tensor cross_entropy(const Operand& logits, const Operand& labels, Reduction reduction) {
  const OperatorKernel kernel = operator_kernel<"cross_entropy">();
  const CallSite& site = logits.site();
  const Batch batch = check_batch(logits, labels, kernel.name, site);
  return in_operator(kernel.name, site, [&] {
    Tensor losses = make_output(batch.rows, batch.logits.dtype(), batch.logits.device());
    OperatorCall call(kernel.name, kernel.row, site);
    call.write(losses);
    call.read(batch.logits);
    call.read(batch.labels);
    apply(call);
    switch (reduction) {
      case Reduction::none: break;
      case Reduction::mean: return mean(Operand(losses, site));
      case Reduction::sum: return sum(Operand(losses, site));
    }
    return losses;
  });
}

Tensor cross_entropy_backward(const Operand& grad, const Operand& logits, const Operand& labels, Reduction reduction) {
  const OperatorKernel kernel = operator_kernel<"cross_entropy_backward">();
  const CallSite& site = grad.site();
  const Tensor& gradient = require_tensor(grad, kernel.name);
  const Batch batch = check_batch(logits, labels, kernel.name, site);
  const Shape expected = reduction == Reduction::none ? batch.rows : Shape();
  if (!(gradient.shape() == expected)) {
    throw ShapeError(
        kernel.name,
        "the gradient of the loss is of shape " + to_string(expected) + ", not " + to_string(gradient.shape()), site);
  }
  const DType dtype = batch.logits.dtype();
  if (gradient.dtype() != dtype) {
    throw DTypeError(
        kernel.name,
        "the gradient is " + std::string(name(gradient.dtype())) + " and the logits " + std::string(name(dtype)), site);
  }
  return in_operator(kernel.name, site, [&] {
    const Tensor share = reduction == Reduction::mean ? div(grad, batch.rows[0]) : gradient;
    Tensor output = make_output(batch.logits.shape(), dtype, batch.logits.device());
    OperatorCall call(kernel.name, kernel.row, site);
    call.write(output);
    call.read(batch.logits);
    call.read(batch.labels);
    call.read(share, batch.rows);
    apply(call);
    return output;
  });
}

}  // namespace stretto
