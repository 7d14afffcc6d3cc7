#include <cmath>
#include <cstdint>

#include "kernels/cpu/chunks.h"
#include "kernels/cpu/dimensions.h"
#include "kernels/cpu/line_math.h"
#include "kernels/cpu/scratch.h"
#include "kernels/kernel.h"
#include "kernels/parameters.h"

namespace stretto {

namespace {

constexpr std::int64_t elements_a_chunk = 8192;

// Computes outputs[0] line by line along the axis: `compute(lines, count)` gets a line of each input, one after
// another, and leaves its result in the first of them.
template <typename Compute>
void for_each_line(const KernelCall& call, KernelContext& context, Compute compute) {
  const Array& output = call.outputs[0];
  const std::int64_t axis = call.parameters.get<AxisParameters>().axis;
  if (output.numel() == 0) return;
  constexpr std::size_t max_inputs = 2;
  const std::size_t inputs = call.inputs.size();
  // An array of rank 0 is one line of one element.
  const std::int64_t count = output.rank == 0 ? 1 : output.shape[axis];
  const auto stride = [&](const Array& array) { return array.rank == 0 ? 1 : array.strides[axis]; };
  const Dimensions out_lines = lines_along(output, axis);
  Dimensions in_lines[max_inputs];
  for (std::size_t i = 0; i < inputs; ++i) in_lines[i] = lines_along(call.inputs[i], axis);
  run_ranges(context, out_lines.count(), std::max<std::int64_t>(1, elements_a_chunk / count),
             [&](std::int64_t begin, std::int64_t end) {
               const Scratch lines(static_cast<std::size_t>(count) * inputs * sizeof(double));
               for (std::int64_t line = begin; line < end; ++line) {
                 for (std::size_t i = 0; i < inputs; ++i) {
                   load_line(call.inputs[i], in_lines[i].offset(line), stride(call.inputs[i]), count,
                             lines.as<double>() + static_cast<std::int64_t>(i) * count);
                 }
                 compute(lines.as<double>(), count);
                 store_line(output, out_lines.offset(line), stride(output), count, lines.as<double>());
               }
             });
}

void softmax_kernel(const KernelCall& call, KernelContext& context) {
  const bool in_float64 = needs_float64(call.inputs[0].dtype);
  for_each_line(call, context, [&](double* line, std::int64_t count) {
    const double sum = exponentials(line, count, in_float64, line).sum;
    for (std::int64_t i = 0; i < count; ++i) line[i] /= sum;
  });
}

void log_softmax_kernel(const KernelCall& call, KernelContext& context) {
  const bool in_float64 = needs_float64(call.inputs[0].dtype);
  for_each_line(call, context, [&](double* line, std::int64_t count) {
    const Scratch powers(static_cast<std::size_t>(count) * sizeof(double));
    const Exponentials all = exponentials(line, count, in_float64, powers.as<double>());
    const double log_of_sum = std::log(all.sum);
    for (std::int64_t i = 0; i < count; ++i) line[i] = line[i] - all.largest - log_of_sum;
  });
}

// Of the gradient and the softmax y: y * (gradient - sum(gradient * y)).
void softmax_backward_kernel(const KernelCall& call, KernelContext& context) {
  for_each_line(call, context, [&](double* gradient, std::int64_t count) {
    const double* const y = gradient + count;
    const double dot = line_dot(gradient, y, count);
    for (std::int64_t i = 0; i < count; ++i) gradient[i] = y[i] * (gradient[i] - dot);
  });
}

// Of the gradient and the log softmax y: gradient - exp(y) * sum(gradient).
void log_softmax_backward_kernel(const KernelCall& call, KernelContext& context) {
  const bool in_float64 = needs_float64(call.inputs[0].dtype);
  for_each_line(call, context, [&](double* gradient, std::int64_t count) {
    double* const y = gradient + count;
    const double sum = line_sum(gradient, count);
    exponentiate(y, count, in_float64);
    for (std::int64_t i = 0; i < count; ++i) gradient[i] -= y[i] * sum;
  });
}

const KernelRegistration registrations[] = {
    {"softmax", DeviceKind::cpu, &softmax_kernel},
    {"log_softmax", DeviceKind::cpu, &log_softmax_kernel},
    {"softmax_backward", DeviceKind::cpu, &softmax_backward_kernel},
    {"log_softmax_backward", DeviceKind::cpu, &log_softmax_backward_kernel},
};

}  // namespace

}  // namespace stretto
