#pragma once

#include <cstdint>
#include <limits>

#include "kernels/cuda/elements.cuh"

namespace stretto {

// What a reduction makes of elements: each fold has a Value, its neutral value, how an element (of this number in its
// line) becomes a Value, and how two become one, the left one first.

/// An element as the type of a fold; 16-bit floats through float.
template <class T, Element In>
__device__ T fold_input(In x) {
  return convert<T>(x);
}

template <class T>
struct SumFold {
  using Value = T;
  static __device__ Value neutral() { return T{0}; }
  template <class In>
  static __device__ Value load(In x, std::int64_t) {
    return fold_input<T>(x);
  }
  static __device__ Value join(Value a, Value b) {
    if constexpr (Integer<T>)
      return rules::sum(a, b);
    else
      return a + b;
  }
};

template <class T>
struct ProductFold {
  using Value = T;
  static __device__ Value neutral() { return T{1}; }
  template <class In>
  static __device__ Value load(In x, std::int64_t) {
    return fold_input<T>(x);
  }
  static __device__ Value join(Value a, Value b) {
    if constexpr (Integer<T>)
      return rules::product(a, b);
    else
      return a * b;
  }
};

/// The largest or smallest; a NaN wins.
template <class T, bool largest>
struct ExtremeFold {
  using Value = T;
  static __device__ Value neutral() {
    if constexpr (Real<T>) {
      return largest ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
    } else {
      return largest ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
    }
  }
  template <class In>
  static __device__ Value load(In x, std::int64_t) {
    return fold_input<T>(x);
  }
  static __device__ Value join(Value a, Value b) { return a != a || (largest ? a > b : a < b) ? a : b; }
};

/// Whether any element, or every one, is not zero. A NaN is not.
template <bool any>
struct TruthFold {
  using Value = bool;
  static __device__ Value neutral() { return !any; }
  template <class In>
  static __device__ Value load(In x, std::int64_t) {
    return widen(x) != Computed<In>{0};
  }
  static __device__ Value join(Value a, Value b) { return any ? a || b : a && b; }
};

template <class T>
struct Located {
  T value;
  std::int64_t position;  // -1: there is none yet
};

/// Where the largest or smallest element is: the first of several, or the first NaN.
template <class T, bool largest>
struct PositionFold {
  using Value = Located<T>;
  static __device__ Value neutral() { return {T{0}, -1}; }
  template <class In>
  static __device__ Value load(In x, std::int64_t position) {
    return {fold_input<T>(x), position};
  }
  static __device__ Value join(Value a, Value b) {
    if (a.position < 0 || b.position < 0) return a.position < 0 ? b : a;
    const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    if (a_nan != b_nan) return a_nan ? a : b;
    if (a_nan || a.value == b.value) return a.position < b.position ? a : b;
    return (largest ? a.value > b.value : a.value < b.value) ? a : b;
  }
};

}  // namespace stretto
