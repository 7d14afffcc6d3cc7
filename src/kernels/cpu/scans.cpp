#include <algorithm>
#include <cstdint>

#include "kernels/cpu/chunks.h"
#include "kernels/cpu/lines.h"
#include "kernels/cpu/scratch.h"
#include "kernels/kernel.h"
#include "kernels/parameters.h"

namespace stretto {

namespace {

constexpr std::int64_t elements_a_chunk = 16384;

// Folds in float64, of which each result is rounded once, or in int64, which wraps.
struct Sum {
  static double apply(double a, double b) { return a + b; }
  static std::int64_t apply(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
};
struct Product {
  static double apply(double a, double b) { return a * b; }
  static std::int64_t apply(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
};

// Replaces each element of each line along the axis by the fold of all up to it.
template <class Fold, typename Total>
void scan_lines(const Lines& in, const Lines& out, KernelContext& context) {
  const std::int64_t extent = out.extent();
  const std::int64_t group = std::max(in.group(), out.group());
  run_ranges(context, out.count(), std::max(group, elements_a_chunk / extent),
             [&](std::int64_t begin, std::int64_t end) {
               const Scratch scratch(static_cast<std::size_t>(group * extent) * sizeof(Total));
               for (std::int64_t first = begin; first < end; first += group) {
                 const std::int64_t count = std::min(group, end - first);
                 in.load(first, count, scratch.as<Total>());
                 for (std::int64_t j = 0; j < count; ++j) {
                   Total* const line = scratch.as<Total>() + j * extent;
                   for (std::int64_t k = 1; k < extent; ++k) line[k] = Fold::apply(line[k - 1], line[k]);
                 }
                 out.store(first, count, scratch.as<Total>());
               }
             });
}

template <class Fold>
void scan_kernel(const KernelCall& call, KernelContext& context) {
  const Array& input = call.inputs[0];
  const Array& output = call.outputs[0];
  if (output.numel() == 0) return;
  const std::int64_t axis = call.parameters.get<AxisParameters>().axis;
  const Lines in(input, axis), out(output, axis);
  if (is_floating(input.dtype) || is_floating(output.dtype)) {
    scan_lines<Fold, double>(in, out, context);
  } else {
    scan_lines<Fold, std::int64_t>(in, out, context);
  }
}

const KernelRegistration registrations[] = {
    {"cumsum", DeviceKind::cpu, &scan_kernel<Sum>},
    {"cumprod", DeviceKind::cpu, &scan_kernel<Product>},
};

}  // namespace

}  // namespace stretto
