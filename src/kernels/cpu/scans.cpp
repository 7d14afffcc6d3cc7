#include <cstdint>
#include <type_traits>

#include "kernels/cpu/chunks.h"
#include "kernels/cpu/dimensions.h"
#include "kernels/cpu/element_types.h"
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

template <typename Total>
void load(const Array& array, std::int64_t offset, std::int64_t stride, std::int64_t count, Total* line) {
  visit_dtype(array.dtype, [&]<class T>(std::type_identity<T>) {
    const T* const from = array.as<const T>() + offset;
    for (std::int64_t i = 0; i < count; ++i) line[i] = convert<Total>(from[i * stride]);
  });
}

// Integers wrap once more if the output is narrower.
template <typename Total>
void store(const Array& array, std::int64_t offset, std::int64_t stride, std::int64_t count, const Total* line) {
  visit_dtype(array.dtype, [&]<class T>(std::type_identity<T>) {
    T* const to = array.as<T>() + offset;
    for (std::int64_t i = 0; i < count; ++i) to[i * stride] = convert<T>(line[i]);
  });
}

// Replaces each element of each line along the axis by the fold of all up to it.
template <class Fold, typename Total>
void scan_lines(const Array& input, const Array& output, std::int64_t axis, KernelContext& context) {
  const std::int64_t count = output.shape[axis];
  const Dimensions in_lines = lines_along(input, axis), out_lines = lines_along(output, axis);
  run_ranges(context, out_lines.count(), std::max<std::int64_t>(1, elements_a_chunk / count),
             [&](std::int64_t begin, std::int64_t end) {
               const Scratch scratch(static_cast<std::size_t>(count) * sizeof(Total));
               Total* const line = scratch.as<Total>();
               for (std::int64_t i = begin; i < end; ++i) {
                 load(input, in_lines.offset(i), input.strides[axis], count, line);
                 for (std::int64_t k = 1; k < count; ++k) line[k] = Fold::apply(line[k - 1], line[k]);
                 store(output, out_lines.offset(i), output.strides[axis], count, line);
               }
             });
}

template <class Fold>
void scan_kernel(const KernelCall& call, KernelContext& context) {
  const Array& input = call.inputs[0];
  const Array& output = call.outputs[0];
  const std::int64_t axis = call.parameters.get<AxisParameters>().axis;
  if (output.numel() == 0) return;
  if (is_floating(input.dtype) || is_floating(output.dtype)) {
    scan_lines<Fold, double>(input, output, axis, context);
  } else {
    scan_lines<Fold, std::int64_t>(input, output, axis, context);
  }
}

const KernelRegistration registrations[] = {
    {"cumsum", DeviceKind::cpu, &scan_kernel<Sum>},
    {"cumprod", DeviceKind::cpu, &scan_kernel<Product>},
};

}  // namespace

}  // namespace stretto
