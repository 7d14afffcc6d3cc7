#pragma once

#include "kernels/cuda/reduction.cuh"

namespace stretto {

struct ItsPosition {
  template <class T>
  __device__ std::int64_t operator()(Located<T> found) const {
    return found.position;
  }
};

template <bool largest>
void position(const KernelCall& call, KernelContext& context) {
  with_types(call, PositionTypes(), [&]<class In, class Out>(std::type_identity<In>, std::type_identity<Out>) {
    reduce<PositionFold<Computed<In>, largest>, In, Out>(call, context, ItsPosition());
  });
}

}  // namespace stretto
