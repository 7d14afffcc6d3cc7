#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

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
// Of short rows several are computed at once.
constexpr std::int64_t numbers_at_once = 1024;

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

// Some rows of logits, the exponentials of them, and what they are made of.
struct Rows {
  std::int64_t first;
  std::int64_t count;
  const double* logits;
  double* powers;
  const Exponentials* all;
};

template <typename Compute>
void for_each_rows(const Array& logits, KernelContext& context, Compute compute) {
  const Lines rows(logits, 1);
  const std::int64_t classes = rows.extent();
  const std::int64_t group = std::max(rows.group(), numbers_at_once / std::max<std::int64_t>(1, classes));
  const std::int64_t grain = std::max(group, elements_a_chunk / std::max<std::int64_t>(1, classes));
  run_ranges(context, rows.count(), grain, [&](std::int64_t begin, std::int64_t end) {
    const Scratch scratch(static_cast<std::size_t>(2 * group * classes) * sizeof(double));
    std::vector<Exponentials> all(static_cast<std::size_t>(group));
    double* const lines = scratch.as<double>();
    double* const powers = lines + group * classes;
    for (std::int64_t first = begin; first < end; first += group) {
      const std::int64_t count = std::min(group, end - first);
      rows.load(first, count, lines);
      exponentials(lines, count, classes, needs_float64(logits.dtype), powers, all.data());
      compute(Rows{first, count, lines, powers, all.data()});
    }
  });
}

// The loss of a row: log(sum of exp(logits)) - logit of the label.
void cross_entropy_kernel(const KernelCall& call, KernelContext& context) {
  const Array& logits = call.inputs[0];
  const Array& labels = call.inputs[1];
  const Array& losses = call.outputs[0];
  const std::int64_t classes = logits.shape[1];
  check_labels(labels, classes);
  for_each_rows(logits, context, [&](const Rows& rows) {
    for (std::int64_t j = 0; j < rows.count; ++j) {
      const std::int64_t row = rows.first + j;
      const Exponentials& all = rows.all[j];
      const double loss = std::log(all.sum) - (rows.logits[j * classes + label_of(labels, row)] - all.largest);
      store_number(losses, row * losses.strides[0], loss);
    }
  });
}

// The gradient of the loss of a row, times what comes from above: softmax(logits), minus one at the label.
void cross_entropy_backward_kernel(const KernelCall& call, KernelContext& context) {
  const Array& logits = call.inputs[0];
  const Array& labels = call.inputs[1];
  const Array& row_gradients = call.inputs[2];
  const Lines gradients(call.outputs[0], 1);
  const std::int64_t classes = logits.shape[1];
  check_labels(labels, classes);
  for_each_rows(logits, context, [&](const Rows& rows) {
    for (std::int64_t j = 0; j < rows.count; ++j) {
      const std::int64_t row = rows.first + j;
      const double above = load_number(row_gradients, row * row_gradients.strides[0]);
      double* const powers = rows.powers + j * classes;
      for (std::int64_t i = 0; i < classes; ++i) powers[i] /= rows.all[j].sum;
      powers[label_of(labels, row)] -= 1;
      for (std::int64_t i = 0; i < classes; ++i) powers[i] *= above;
    }
    gradients.store(rows.first, rows.count, rows.powers);
  });
}

const KernelRegistration registrations[] = {
    {"cross_entropy", DeviceKind::cpu, &cross_entropy_kernel},
    {"cross_entropy_backward", DeviceKind::cpu, &cross_entropy_backward_kernel},
};

}  // namespace

}  // namespace stretto
