#pragma once

#include "kernels/rules/element_kinds.h"

namespace stretto {

// What each operator makes of elements, as on the CPU.

// Equal compares NaN as unequal to everything, itself included; so do the ordered comparisons.
struct Equal {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static __device__ bool apply(T a, T b) {
    return a == b;
  }
};
struct NotEqual {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static __device__ bool apply(T a, T b) {
    return a != b;
  }
};
struct Less {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static __device__ bool apply(T a, T b) {
    return a < b;
  }
};
struct LessEqual {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static __device__ bool apply(T a, T b) {
    return a <= b;
  }
};
struct Greater {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static __device__ bool apply(T a, T b) {
    return a > b;
  }
};
struct GreaterEqual {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static __device__ bool apply(T a, T b) {
    return a >= b;
  }
};

// A number is true unless it is zero; a NaN is true.
struct LogicalAnd {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static __device__ bool apply(T a, T b) {
    return (a != T{0}) & (b != T{0});
  }
};
struct LogicalOr {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static __device__ bool apply(T a, T b) {
    return (a != T{0}) | (b != T{0});
  }
};
struct LogicalXor {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static __device__ bool apply(T a, T b) {
    return (a != T{0}) != (b != T{0});
  }
};

struct BitwiseAnd {
  template <class T>
    requires(Integer<T> || Boolean<T>)
  static __device__ T apply(T a, T b) {
    return a & b;
  }
};
struct BitwiseOr {
  template <class T>
    requires(Integer<T> || Boolean<T>)
  static __device__ T apply(T a, T b) {
    return a | b;
  }
};
struct BitwiseXor {
  template <class T>
    requires(Integer<T> || Boolean<T>)
  static __device__ T apply(T a, T b) {
    return a ^ b;
  }
};

}  // namespace stretto
