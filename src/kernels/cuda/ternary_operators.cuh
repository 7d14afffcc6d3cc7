#pragma once

#include "kernels/cuda/relu.cuh"
#include "kernels/rules/element_kinds.h"

namespace stretto {

/// A NaN stays one, in x and in the bounds; where low > high the result is high.
struct Clamp {
  template <Number T>
  static __device__ T apply(T x, T low, T high) {
    x = x < low ? low : x;
    x = x > high ? high : x;
    x = low != low ? low : x;
    return high != high ? high : x;
  }
};

// The gradients of the functions of these names.
struct SigmoidBackward {
  template <Real T>
  static __device__ T apply(T gradient, T y) {
    return gradient * ((1 - y) * y);
  }
};
struct TanhBackward {
  template <Real T>
  static __device__ T apply(T gradient, T y) {
    return gradient * (1 - y * y);
  }
};

}  // namespace stretto
