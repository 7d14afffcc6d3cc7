#pragma once

#include <cmath>

namespace stretto {

/// Computed in double, of which a float is one rounding; these GPUs have the throughput for it.
template <class Function>
struct InDouble {
  static __device__ float apply(float x) { return static_cast<float>(Function::of(static_cast<double>(x))); }
  static __device__ double apply(double x) { return Function::of(x); }
};

struct Exp : InDouble<Exp> {
  static __device__ double of(double x) { return std::exp(x); }
};
struct Expm1 : InDouble<Expm1> {
  static __device__ double of(double x) { return std::expm1(x); }
};
struct Log : InDouble<Log> {
  static __device__ double of(double x) { return std::log(x); }
};
struct Log1p : InDouble<Log1p> {
  static __device__ double of(double x) { return std::log1p(x); }
};
struct Log2 : InDouble<Log2> {
  static __device__ double of(double x) { return std::log2(x); }
};
struct Tanh : InDouble<Tanh> {
  static __device__ double of(double x) { return std::tanh(x); }
};
struct Erf : InDouble<Erf> {
  static __device__ double of(double x) { return std::erf(x); }
};
struct Sigmoid : InDouble<Sigmoid> {
  static __device__ double of(double x) { return 1 / (1 + std::exp(-x)); }
};
struct Sin : InDouble<Sin> {
  static __device__ double of(double x) { return std::sin(x); }
};
struct Cos : InDouble<Cos> {
  static __device__ double of(double x) { return std::cos(x); }
};
struct Tan : InDouble<Tan> {
  static __device__ double of(double x) { return std::tan(x); }
};

}  // namespace stretto
