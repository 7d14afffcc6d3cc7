#include "kernels/cuda/elementwise.cuh"
#include "kernels/cuda/ternary_operators.cuh"
#include "kernels/rules/elementwise_operators.h"

namespace stretto {
namespace {

/// Of the values only the size matters.
template <class Bits>
__global__ void __launch_bounds__(elementwise_threads)
    where_kernel(Bits* out, ElementwiseInput<std::uint8_t> condition, ElementwiseInput<Bits> a,
                 ElementwiseInput<Bits> b, Layout<4> layout) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * elementwise_threads;
  for (std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * elementwise_threads + threadIdx.x;
       index < layout.count; index += step) {
    std::int64_t offsets[4];
    layout.offsets(index, offsets);
    const auto value = [](const auto& input, std::int64_t offset) {
      return input.data == nullptr ? input.constant : input.data[offset];
    };
    out[offsets[0]] = value(condition, offsets[1]) != 0 ? value(a, offsets[2]) : value(b, offsets[3]);
  }
}

template <class Bits>
void run_where(const KernelCall& call, KernelContext& context) {
  const Layout<4> layout = elementwise_layout<3>(call);
  if (layout.count == 0) return;
  where_kernel<Bits>
      <<<grid_of(divide_up(layout.count, elementwise_threads)), elementwise_threads, 0,
         cuda_context(context).stream()>>>(call.outputs[0].as<Bits>(), input_bits<std::uint8_t>(call.inputs[0]),
                                           input_bits<Bits>(call.inputs[1]), input_bits<Bits>(call.inputs[2]), layout);
  check_launch();
}

void where(const KernelCall& call, KernelContext& context) {
  switch (item_size(call.outputs[0].dtype)) {
    case 1: return run_where<std::uint8_t>(call, context);
    case 2: return run_where<std::uint16_t>(call, context);
    case 4: return run_where<std::uint32_t>(call, context);
    default: return run_where<std::uint64_t>(call, context);
  }
}

#define STRETTO_CUDA_ROW(name, Op) {name, DeviceKind::cuda, &elementwise<Op, 2>},
const KernelRegistration registrations[] = {STRETTO_BACKWARD_OPERATORS(STRETTO_CUDA_ROW)  //
                                            {"clamp", DeviceKind::cuda, &elementwise<Clamp, 3>},
                                            {"where", DeviceKind::cuda, &where}};
#undef STRETTO_CUDA_ROW

}  // namespace
}  // namespace stretto
