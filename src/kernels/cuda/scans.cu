#include <cstdint>

#include "kernels/cuda/check.h"
#include "kernels/cuda/cuda_context.h"
#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/layout.cuh"
#include "kernels/kernel.h"
#include "kernels/parameters.h"

namespace stretto {
namespace {

constexpr int scan_threads = 128;

// Folds in float64, of which each result is rounded once, or in int64, which wraps: in order, so that the result is the
// CPU's.
struct Sum {
  static __device__ double apply(double a, double b) { return a + b; }
  static __device__ std::int64_t apply(std::int64_t a, std::int64_t b) { return rules::sum(a, b); }
};
struct Product {
  static __device__ double apply(double a, double b) { return a * b; }
  static __device__ std::int64_t apply(std::int64_t a, std::int64_t b) { return rules::product(a, b); }
};

/// A thread a line.
template <class Fold, class Total, class In, class Out>
__global__ void __launch_bounds__(scan_threads)
    scan_kernel(const In* in, Out* out, Layout<2> lines, std::int64_t extent, std::int64_t in_stride,
                std::int64_t out_stride) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * scan_threads;
  for (std::int64_t line = static_cast<std::int64_t>(blockIdx.x) * scan_threads + threadIdx.x; line < lines.count;
       line += step) {
    std::int64_t offsets[2];
    lines.offsets(line, offsets);
    Total total{};
    for (std::int64_t k = 0; k < extent; ++k) {
      const auto element = convert<Total>(in[offsets[0] + k * in_stride]);
      total = k == 0 ? element : Fold::apply(total, element);
      out[offsets[1] + k * out_stride] = convert<Out>(total);
    }
  }
}

template <class Fold>
void scan(const KernelCall& call, KernelContext& context) {
  const Array& input = call.inputs[0];
  const Array& output = call.outputs[0];
  if (output.numel() == 0) return;
  const std::int64_t axis = call.parameters.get<AxisParameters>().axis;
  const Layout<2> lines = layout_of(axis, input, output);
  const bool flat = output.rank == 0;
  visit_dtype(input.dtype, [&]<class In>(std::type_identity<In>) {
    visit_dtype(output.dtype, [&]<class Out>(std::type_identity<Out>) {
      using Total = std::conditional_t<Real<In> || Half<In> || Real<Out> || Half<Out>, double, std::int64_t>;
      scan_kernel<Fold, Total>
          <<<grid_of(divide_up(lines.count, scan_threads)), scan_threads, 0, cuda_context(context).stream()>>>(
              input.as<const In>(), output.as<Out>(), lines, flat ? 1 : output.shape[axis],
              flat ? 1 : input.strides[axis], flat ? 1 : output.strides[axis]);
    });
  });
  check_launch();
}

const KernelRegistration registrations[] = {
    {"cumsum", DeviceKind::cuda, &scan<Sum>},
    {"cumprod", DeviceKind::cuda, &scan<Product>},
};

}  // namespace
}  // namespace stretto
