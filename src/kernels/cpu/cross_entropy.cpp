#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <stretto/base/error.h>

#include "kernels/cpu/chunks.h"
#include "kernels/cpu/line_math.h"
#include "kernels/cpu/lines.h"
#include "kernels/cpu/scratch.h"
#include "kernels/kernel.h"
#include "kernels/rules/failures.h"

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
    if (rules::is_outside(label, classes)) {
      throw rules::label_out_of_range(label, row, classes);
    }
  }
}

// One row of logits, the exponentials of it, and what they are made of.
struct Row {
  std::int64_t index;
  const double* logits;
  double* powers;
  Exponentials all;
};

template <typename Compute>
void for_each_row(const Array& logits, KernelContext& context, Compute compute) {
  const Lines rows(logits, 1);
  const std::int64_t classes = rows.extent();
  const std::int64_t group = rows.group();
  const std::int64_t grain = std::max(group, elements_a_chunk / std::max<std::int64_t>(1, classes));
  run_ranges(context, rows.count(), grain, [&](std::int64_t begin, std::int64_t end) {
    const Scratch scratch(static_cast<std::size_t>((group + 1) * classes) * sizeof(double));
    double* const lines = scratch.as<double>();
    double* const powers = lines + group * classes;
    for (std::int64_t first = begin; first < end; first += group) {
      const std::int64_t count = std::min(group, end - first);
      rows.load(first, count, lines);
      for (std::int64_t j = 0; j < count; ++j) {
        const double* const line = lines + j * classes;
        compute(Row{first + j, line, powers, exponentials(line, classes, needs_float64(logits.dtype), powers)});
      }
    }
  });
}

// The loss of a row: log(sum of exp(logits)) - logit of the label.
void cross_entropy_kernel(const KernelCall& call, KernelContext& context) {
  const Array& logits = call.inputs[0];
  const Array& labels = call.inputs[1];
  const Array& losses = call.outputs[0];
  check_labels(labels, logits.shape[1]);
  for_each_row(logits, context, [&](const Row& row) {
    const double loss = std::log(row.all.sum) - (row.logits[label_of(labels, row.index)] - row.all.largest);
    store_number(losses, row.index * losses.strides[0], loss);
  });
}

// The gradient of the loss of a row, times what comes from above: softmax(logits), minus one at the label.
void cross_entropy_backward_kernel(const KernelCall& call, KernelContext& context) {
  const Array& logits = call.inputs[0];
  const Array& labels = call.inputs[1];
  const Array& row_gradients = call.inputs[2];
  const Lines gradients(call.outputs[0], 1);
  check_labels(labels, logits.shape[1]);
  for_each_row(logits, context, [&](const Row& row) {
    const double above = load_number(row_gradients, row.index * row_gradients.strides[0]);
    for (std::int64_t i = 0; i < logits.shape[1]; ++i) row.powers[i] /= row.all.sum;
    row.powers[label_of(labels, row.index)] -= 1;
    for (std::int64_t i = 0; i < logits.shape[1]; ++i) row.powers[i] *= above;
    gradients.store(row.index, 1, row.powers);
  });
}

const KernelRegistration registrations[] = {
    {"cross_entropy", DeviceKind::cpu, &cross_entropy_kernel},
    {"cross_entropy_backward", DeviceKind::cpu, &cross_entropy_backward_kernel},
};

}  // namespace

}  // namespace stretto
