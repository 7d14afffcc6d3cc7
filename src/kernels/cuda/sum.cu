#include "kernels/cuda/reduction.cuh"

namespace stretto {
namespace {

void mean(const KernelCall& call, KernelContext& context) {
  const std::int64_t elements = ReducedLayout(call.inputs[0], call.outputs[0]).elements;
  with_types(call, FloatingTypes(), [&]<class In, class Out>(std::type_identity<In>, std::type_identity<Out>) {
    reduce<SumFold<Arithmetic<In, Out>>, In, Out>(call, context, DividedBy{static_cast<double>(elements)});
  });
}

const KernelRegistration registrations[] = {
    {"sum", DeviceKind::cuda, &total<SumFold>},
    {"mean", DeviceKind::cuda, &mean},
};

}  // namespace
}  // namespace stretto
