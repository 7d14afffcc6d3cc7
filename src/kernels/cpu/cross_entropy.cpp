#include <cmath>
#include <cstdint>
#include <string>

#include <stretto/base/error.h>

#include "kernels/cpu/chunks.h"
#include "kernels/cpu/line_math.h"
#include "kernels/cpu/scratch.h"
#include "kernels/kernel.h"

namespace stretto {

namespace {

constexpr std::int64_t elements_a_chunk = 8192;

std::int64_t label_of(const Array& labels, std::int64_t row) {
  return labels.as<const std::int64_t>()[row * labels.strides[0]];
}

// Before anything is written, and from the first row on, so that the same row is named however the work is cut.
void check_labels(const Array& labels, std::int64_t classes) {
  for (std::int64_t row = 0; row < labels.shape[0]; ++row) {
    const std::int64_t label = label_of(labels, row);
    if (label < 0 || label >= classes) {
      throw IndexError("label " + std::to_string(label) + " of row " + std::to_string(row) + " is out of range for " +
                       std::to_string(classes) + " classes");
    }
  }
}

// Calls `compute(row, exponentials, powers)` for each row of the logits; `powers` are its exponentials.
template <typename Compute>
void for_each_row(const Array& logits, KernelContext& context, Compute compute) {
  const std::int64_t classes = logits.shape[1];
  if (logits.shape[0] == 0) return;
  const std::int64_t grain = std::max<std::int64_t>(1, elements_a_chunk / std::max<std::int64_t>(1, classes));
  run_ranges(context, logits.shape[0], grain, [&](std::int64_t begin, std::int64_t end) {
    const Scratch powers(static_cast<std::size_t>(classes) * sizeof(double));
    double* const row_powers = powers.as<double>();
    for (std::int64_t row = begin; row < end; ++row) {
      load_line(logits, row * logits.strides[0], logits.strides[1], classes, row_powers);
      const Exponentials all = exponentials(row_powers, classes, needs_float64(logits.dtype), row_powers);
      compute(row, all, row_powers);
    }
  });
}

// The loss of a row: log(sum of exp(logits)) - logit of the label.
void cross_entropy_kernel(const KernelCall& call, KernelContext& context) {
  const Array& logits = call.inputs[0];
  const Array& labels = call.inputs[1];
  const Array& losses = call.outputs[0];
  check_labels(labels, logits.shape[1]);
  for_each_row(logits, context, [&](std::int64_t row, const Exponentials& all, const double*) {
    double logit;
    load_line(logits, row * logits.strides[0] + label_of(labels, row) * logits.strides[1], 1, 1, &logit);
    const double loss = std::log(all.sum) - (logit - all.largest);
    store_line(losses, row * losses.strides[0], 1, 1, &loss);
  });
}

// The gradient of the loss of a row, times what comes from above: softmax(logits), minus one at the label.
void cross_entropy_backward_kernel(const KernelCall& call, KernelContext& context) {
  const Array& logits = call.inputs[0];
  const Array& labels = call.inputs[1];
  const Array& row_gradients = call.inputs[2];
  const Array& gradients = call.outputs[0];
  check_labels(labels, logits.shape[1]);
  for_each_row(logits, context, [&](std::int64_t row, const Exponentials& all, double* powers) {
    double above;
    load_line(row_gradients, row * row_gradients.strides[0], 1, 1, &above);
    for (std::int64_t i = 0; i < logits.shape[1]; ++i) powers[i] /= all.sum;
    powers[label_of(labels, row)] -= 1;
    for (std::int64_t i = 0; i < logits.shape[1]; ++i) powers[i] *= above;
    store_line(gradients, row * gradients.strides[0], gradients.strides[1], logits.shape[1], powers);
  });
}

const KernelRegistration registrations[] = {
    {"cross_entropy", DeviceKind::cpu, &cross_entropy_kernel},
    {"cross_entropy_backward", DeviceKind::cpu, &cross_entropy_backward_kernel},
};

}  // namespace

}  // namespace stretto
