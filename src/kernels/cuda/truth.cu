#include "kernels/cuda/reduction.cuh"

namespace stretto {
namespace {

template <bool any>
void truth(const KernelCall& call, KernelContext& context) {
  with_types(call, TruthTypes(), [&]<class In, class Out>(std::type_identity<In>, std::type_identity<Out>) {
    reduce<TruthFold<any>, In, Out>(call, context, AsItIs());
  });
}

const KernelRegistration registrations[] = {
    {"any", DeviceKind::cuda, &truth<true>},
    {"all", DeviceKind::cuda, &truth<false>},
};

}  // namespace
}  // namespace stretto
