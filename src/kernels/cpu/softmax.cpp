#include <cmath>
#include <cstdint>

#include "kernels/cpu/chunks.h"
#include "kernels/cpu/line_math.h"
#include "kernels/cpu/lines.h"
#include "kernels/cpu/scratch.h"
#include "kernels/kernel.h"
#include "kernels/parameters.h"

namespace stretto {

namespace {

constexpr std::int64_t elements_a_chunk = 8192;

// Computes outputs[0] line by line along the axis: `compute(line, other, extent)` gets a line of inputs[0], which
// becomes the result, and one of inputs[1]; where there is none, the latter is space to compute in.
template <typename Compute>
void for_each_line(const KernelCall& call, KernelContext& context, Compute compute) {
  const Array& output = call.outputs[0];
  if (output.numel() == 0) return;
  const std::int64_t axis = call.parameters.get<AxisParameters>().axis;
  const Lines in(call.inputs.front(), axis), more(call.inputs.back(), axis), out(output, axis);
  const bool has_more = call.inputs.size() > 1;
  const std::int64_t extent = out.extent();
  const std::int64_t group = std::max({in.group(), more.group(), out.group()});
  run_ranges(context, out.count(), std::max(group, elements_a_chunk / extent),
             [&](std::int64_t begin, std::int64_t end) {
               const Scratch scratch(static_cast<std::size_t>(2 * group * extent) * sizeof(double));
               double* const lines = scratch.as<double>();
               double* const others = lines + group * extent;
               for (std::int64_t first = begin; first < end; first += group) {
                 const std::int64_t count = std::min(group, end - first);
                 in.load(first, count, lines);
                 if (has_more) more.load(first, count, others);
                 for (std::int64_t j = 0; j < count; ++j) compute(lines + j * extent, others + j * extent, extent);
                 out.store(first, count, lines);
               }
             });
}

void softmax_kernel(const KernelCall& call, KernelContext& context) {
  const bool in_float64 = needs_float64(call.inputs[0].dtype);
  for_each_line(call, context, [&](double* line, double*, std::int64_t count) {
    const double sum = exponentials(line, count, in_float64, line).sum;
    for (std::int64_t i = 0; i < count; ++i) line[i] /= sum;
  });
}

void log_softmax_kernel(const KernelCall& call, KernelContext& context) {
  const bool in_float64 = needs_float64(call.inputs[0].dtype);
  for_each_line(call, context, [&](double* line, double* powers, std::int64_t count) {
    const Exponentials all = exponentials(line, count, in_float64, powers);
    const double log_of_sum = std::log(all.sum);
    for (std::int64_t i = 0; i < count; ++i) line[i] = line[i] - all.largest - log_of_sum;
  });
}

// Of the gradient and the softmax y: y * (gradient - sum(gradient * y)).
void softmax_backward_kernel(const KernelCall& call, KernelContext& context) {
  for_each_line(call, context, [&](double* gradient, const double* y, std::int64_t count) {
    const double dot = line_dot(gradient, y, count);
    for (std::int64_t i = 0; i < count; ++i) gradient[i] = y[i] * (gradient[i] - dot);
  });
}

// Of the gradient and the log softmax y: gradient - exp(y) * sum(gradient).
void log_softmax_backward_kernel(const KernelCall& call, KernelContext& context) {
  const bool in_float64 = needs_float64(call.inputs[0].dtype);
  for_each_line(call, context, [&](double* gradient, double* y, std::int64_t count) {
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
