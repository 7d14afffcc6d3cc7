#pragma once

#include "kernels/cuda/reduction.cuh"

namespace stretto {

template <bool largest>
void extreme(const KernelCall& call, KernelContext& context) {
  with_types(call, SameTypes(), [&]<class In, class Out>(std::type_identity<In>, std::type_identity<Out>) {
    // A bool is a byte of 0 or 1, and so it is compared as a uint8.
    using Value = std::conditional_t<Boolean<In>, std::uint8_t, Computed<In>>;
    reduce<ExtremeFold<Value, largest>, In, Out>(call, context, AsItIs());
  });
}

}  // namespace stretto
