#pragma once

#include <cmath>
#include <limits>

#include "kernels/rules/integers.h"

namespace stretto {

// The meaning of each is that of the CPU's operator of the same name.

struct Add {
  template <Real T>
  static __device__ T apply(T a, T b) {
    return a + b;
  }
  template <Integer T>
  static __device__ T apply(T a, T b) {
    return rules::sum(a, b);
  }
  template <Boolean T>
  static __device__ T apply(T a, T b) {
    return a | b;
  }
};

struct Sub {
  template <Real T>
  static __device__ T apply(T a, T b) {
    return a - b;
  }
  template <Integer T>
  static __device__ T apply(T a, T b) {
    return rules::difference(a, b);
  }
};

struct Mul {
  template <Real T>
  static __device__ T apply(T a, T b) {
    return a * b;
  }
  template <Integer T>
  static __device__ T apply(T a, T b) {
    return rules::product(a, b);
  }
  template <Boolean T>
  static __device__ T apply(T a, T b) {
    return a & b;
  }
};

struct Div {
  template <Real T>
  static __device__ T apply(T a, T b) {
    return a / b;
  }
};

/// Whether a float quotient and its rest are exact in double: so small a quotient, times a float, has no more than 53
/// bits.
__device__ inline bool is_large_quotient(float a, float b) {
  return !(std::fabs(a / b) < 0x1p28f && std::fabs(b) < std::numeric_limits<float>::infinity());
}

/// The quotient rounded towards minus infinity: that of a and b exactly, since a / b may have been rounded to the next
/// integer. A zero divisor of integers is found before, and gives anything.
struct FloorDivide {
  static __device__ float apply(float a, float b) {
    if (is_large_quotient(a, b)) return divide(a, b);
    const double exact = static_cast<double>(a) / b;
    const double whole = std::trunc(exact);
    const double rest = a - whole * b;
    const double floor = rest != 0 && (b < 0) != (rest < 0) ? whole - 1 : whole;
    return static_cast<float>(floor == 0 ? std::copysign(0.0, exact) : floor);
  }
  static __device__ double apply(double a, double b) { return divide(a, b); }
  template <Integer T>
  static __device__ T apply(T a, T b) {
    return b == 0 ? T{0} : rules::floor_quotient(a, b);
  }

 private:
  template <Real T>
  static __device__ T divide(T a, T b) {
    if (b == 0) return a / b;
    const T rest = std::fmod(a, b);
    T quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return std::copysign(T{0}, a / b);
    const T whole = std::floor(quotient);
    return quotient - whole > T{0.5} ? whole + 1 : whole;
  }
};

/// The rest has the divisor's sign, zero included.
struct Remainder {
  template <Real T>
  static __device__ T apply(T a, T b) {
    const T rest = std::fmod(a, b);
    if (rest == 0) return std::copysign(T{0}, b);
    return (b < 0) != (rest < 0) ? rest + b : rest;
  }
  template <Integer T>
  static __device__ T apply(T a, T b) {
    return b == 0 ? T{0} : rules::floor_rest(a, b);
  }
};

struct Pow {
  static __device__ float apply(float x, float y) {
    return static_cast<float>(apply(static_cast<double>(x), static_cast<double>(y)));
  }
  static __device__ double apply(double x, double y) { return y == 2 ? x * x : std::pow(x, y); }
  template <Integer T>
  static __device__ T apply(T x, T y) {
    return rules::power(x, y);
  }
};

// A NaN on either side wins.
struct Maximum {
  template <Number T>
  static __device__ T apply(T a, T b) {
    return a > b || a != a ? a : b;
  }
  template <Boolean T>
  static __device__ T apply(T a, T b) {
    return a | b;
  }
};

struct Minimum {
  template <Number T>
  static __device__ T apply(T a, T b) {
    return a < b || a != a ? a : b;
  }
  template <Boolean T>
  static __device__ T apply(T a, T b) {
    return a & b;
  }
};

}  // namespace stretto
