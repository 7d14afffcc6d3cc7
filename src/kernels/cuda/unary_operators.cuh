#pragma once

#include <cmath>
#include <limits>

#include "kernels/cuda/relu.cuh"
#include "kernels/rules/integers.h"

namespace stretto {

// What each operator makes of elements, as on the CPU.

// Of the sign alone, which a NaN has, too: what becomes of it there must not depend on what comes before or behind.

struct Neg {
  static __device__ float apply(float x) {
    asm("xor.b32 %0, %0, 0x80000000;" : "+f"(x));
    return x;
  }
  static __device__ double apply(double x) {
    asm("xor.b64 %0, %0, 0x8000000000000000;" : "+d"(x));
    return x;
  }
  template <Integer T>
  static __device__ T apply(T x) {
    return rules::negative(x);
  }
};

struct Abs {
  static __device__ float apply(float x) {
    asm("and.b32 %0, %0, 0x7fffffff;" : "+f"(x));
    return x;
  }
  static __device__ double apply(double x) {
    asm("and.b64 %0, %0, 0x7fffffffffffffff;" : "+d"(x));
    return x;
  }
  template <Integer T>
  static __device__ T apply(T x) {
    return x < 0 ? Neg::apply(x) : x;
  }
};

/// A NaN stays one.
struct Sign {
  template <Real T>
  static __device__ T apply(T x) {
    return x > 0 ? T{1} : x < 0 ? T{-1} : x == 0 ? T{0} : x;
  }
  template <Integer T>
  static __device__ T apply(T x) {
    return static_cast<T>((x > 0) - (x < 0));
  }
};

struct Square {
  template <Real T>
  static __device__ T apply(T x) {
    return x * x;
  }
  template <Integer T>
  static __device__ T apply(T x) {
    return rules::product(x, x);
  }
};

struct Reciprocal {
  template <Real T>
  static __device__ T apply(T x) {
    return 1 / x;
  }
};

struct Sqrt {
  template <Real T>
  static __device__ T apply(T x) {
    return std::sqrt(x);
  }
};

struct Rsqrt {
  // In double, so that there is one rounding to float.
  static __device__ float apply(float x) { return static_cast<float>(1 / std::sqrt(static_cast<double>(x))); }
  static __device__ double apply(double x) { return 1 / std::sqrt(x); }
};

/// A NaN stays one.
struct Floor {
  template <Real T>
  static __device__ T apply(T x) {
    return std::floor(x);
  }
  template <Integer T>
  static __device__ T apply(T x) {
    return x;
  }
};

struct Ceil {
  template <Real T>
  static __device__ T apply(T x) {
    return std::ceil(x);
  }
  template <Integer T>
  static __device__ T apply(T x) {
    return x;
  }
};

struct Trunc {
  template <Real T>
  static __device__ T apply(T x) {
    return std::trunc(x);
  }
  template <Integer T>
  static __device__ T apply(T x) {
    return x;
  }
};

/// Halves to the even neighbour.
struct Round {
  template <Real T>
  static __device__ T apply(T x) {
    return std::rint(x);
  }
  template <Integer T>
  static __device__ T apply(T x) {
    return x;
  }
};

struct IsNan {
  template <Real T>
  static __device__ bool apply(T x) {
    return x != x;
  }
  template <class T>
    requires(Integer<T> || Boolean<T>)
  static __device__ bool apply(T) {
    return false;
  }
};

struct IsInf {
  template <Real T>
  static __device__ bool apply(T x) {
    return std::fabs(x) == std::numeric_limits<T>::infinity();
  }
  template <class T>
    requires(Integer<T> || Boolean<T>)
  static __device__ bool apply(T) {
    return false;
  }
};

struct IsFinite {
  template <Real T>
  static __device__ bool apply(T x) {
    return std::fabs(x) < std::numeric_limits<T>::infinity();
  }
  template <class T>
    requires(Integer<T> || Boolean<T>)
  static __device__ bool apply(T) {
    return true;
  }
};

struct LogicalNot {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static __device__ bool apply(T x) {
    return x == T{0};
  }
};

struct BitwiseNot {
  template <Integer T>
  static __device__ T apply(T x) {
    return static_cast<T>(~x);
  }
  template <Boolean T>
  static __device__ T apply(T x) {
    return !x;
  }
};

}  // namespace stretto
