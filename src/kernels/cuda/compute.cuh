#pragma once

#include "kernels/cuda/elements.cuh"

namespace stretto {

/// Elements that are moved in one go.
template <class T, int size>
struct alignas(sizeof(T) * size) Packet {
  T items[size];
};

/// One element of what an operator gives: computed in what its inputs are computed in, and rounded once.
template <class Op, class Out, class In, int count>
__device__ Out compute(const In (&x)[count]) {
  if constexpr (count == 1) {
    return convert<Out>(Op::apply(widen(x[0])));
  } else if constexpr (count == 2) {
    return convert<Out>(Op::apply(widen(x[0]), widen(x[1])));
  } else {
    return convert<Out>(Op::apply(widen(x[0]), widen(x[1]), widen(x[2])));
  }
}

/// The element as it is: the conversion around it does the work.
struct Identity {
  template <class T>
  static __device__ T apply(T x) {
    return x;
  }
};

}  // namespace stretto
