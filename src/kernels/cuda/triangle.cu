#include <string>

#include <stretto/base/error.h>

#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/elementwise.cuh"
#include "kernels/kernel.h"
#include "kernels/parameters.h"

namespace stretto {
namespace {

template <bool lower, class Bits>
__global__ void __launch_bounds__(elementwise_threads)
    triangle_kernel(Bits* out, ElementwiseInput<Bits> in, Layout<2> layout, std::int64_t rows, std::int64_t columns,
                    std::int64_t diagonal) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * elementwise_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * elementwise_threads + threadIdx.x; i < layout.count;
       i += step) {
    const std::int64_t above = i % columns - i / columns % rows;
    std::int64_t offsets[2];
    layout.offsets(i, offsets);
    const bool kept = lower ? above <= diagonal : above >= diagonal;
    out[offsets[0]] = !kept ? Bits{0} : in.data == nullptr ? in.constant : in.data[offsets[1]];
  }
}

template <bool lower>
void triangle(const KernelCall& call, KernelContext& context) {
  const Array& output = call.outputs[0];
  const Array& input = call.inputs[0];
  if (output.rank < 2) throw ShapeError("a matrix is needed, not " + std::to_string(output.rank) + " dimensions");
  const Layout<2> layout = elementwise_layout<1>(call);
  if (layout.count == 0) return;
  const auto run = [&]<class Bits>(std::type_identity<Bits>) {
    triangle_kernel<lower, Bits><<<grid_of(divide_up(layout.count, elementwise_threads)), elementwise_threads, 0,
                                   cuda_context(context).stream()>>>(
        output.as<Bits>(), input_bits<Bits>(input), layout, output.shape[output.rank - 2],
        output.shape[output.rank - 1], call.parameters.get<TriangleParameters>().diagonal);
  };
  switch (item_size(output.dtype)) {
    case 1: run(std::type_identity<std::uint8_t>{}); break;
    case 2: run(std::type_identity<std::uint16_t>{}); break;
    case 4: run(std::type_identity<std::uint32_t>{}); break;
    default: run(std::type_identity<std::uint64_t>{}); break;
  }
  check_launch();
}

const KernelRegistration registrations[] = {
    {"tril", DeviceKind::cuda, &triangle<true>},
    {"triu", DeviceKind::cuda, &triangle<false>},
};

}  // namespace
}  // namespace stretto
