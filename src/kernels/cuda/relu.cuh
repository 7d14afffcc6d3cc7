#pragma once

#include "kernels/cuda/elements.cuh"

namespace stretto {

/// NaN for NaN.
struct Relu {
  template <Number T>
  static __device__ T apply(T x) {
    return x <= 0 ? T{0} : x;
  }
};

/// Where x is a NaN the gradient passes, as relu passes the NaN.
struct ReluBackward {
  template <Real T>
  static __device__ T apply(T gradient, T x) {
    return x <= 0 ? T{0} : gradient;
  }
};

}  // namespace stretto
