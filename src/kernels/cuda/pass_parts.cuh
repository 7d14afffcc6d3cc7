#pragma once

#include <cstdint>
#include <limits>

#include "kernels/cuda/arithmetic_operators.cuh"
#include "kernels/cuda/comparison_operators.cuh"
#include "kernels/cuda/compute.cuh"
#include "kernels/cuda/function_operators.cuh"
#include "kernels/cuda/relu.cuh"
#include "kernels/cuda/ternary_operators.cuh"
#include "kernels/cuda/unary_operators.cuh"

// What kernels of passes are made of, beside the operators. Their text is written by PassKernel.

namespace stretto {

inline constexpr int pass_threads = 256;

/// The first bytes of a word that a kernel is launched with.
template <class T>
__device__ T from_word(std::uint64_t word) {
  if constexpr (sizeof(T) == 8) {
    return __builtin_bit_cast(T, word);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(T, static_cast<std::uint32_t>(word));
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bit_cast(T, static_cast<std::uint16_t>(word));
  } else {
    return static_cast<T>(static_cast<std::uint8_t>(word));
  }
}

/// A value that nobody computes with as anything but what it is. Of several operations in a row a compiler may leave
/// some out, such as a conversion there and back, which a NaN would tell.
template <class T>
__device__ T settled(T x) {
  if constexpr (sizeof(T) == 4 && !std::numeric_limits<T>::is_integer) asm("" : "+f"(x));
  if constexpr (sizeof(T) == 8 && !std::numeric_limits<T>::is_integer) asm("" : "+d"(x));
  return x;
}

/// One operation on one element, as its own kernel computes it.
template <class Op, class Out, class In, class... Others>
__device__ Out step(In first, Others... others) {
  const In inputs[] = {first, others...};
  return settled(compute<Op, Out>(inputs));
}

/// Of the values only the bits matter.
template <class T>
__device__ T chosen(std::uint8_t condition, T a, T b) {
  return condition != 0 ? a : b;
}

template <class T, int items>
__device__ Packet<T, items> repeated(T x) {
  Packet<T, items> packet;
#pragma unroll
  for (int i = 0; i < items; ++i) packet.items[i] = x;
  return packet;
}

template <int items, class T>
__device__ Packet<T, items>& packet_at(T* data) {
  return *reinterpret_cast<Packet<T, items>*>(data);
}

}  // namespace stretto
