#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/layout.cuh"

namespace stretto {

// A block of threads and one line of an array.

inline constexpr int line_threads = 128;

template <class T>
struct LineView {
  T* data;
  std::int64_t stride;
  std::int64_t extent;

  __device__ double load(std::int64_t i) const { return static_cast<double>(widen(data[i * stride])); }
  __device__ void store(std::int64_t i, double value) const { data[i * stride] = convert<T>(value); }
};

/// Calls `visit` with each number of an element, divided among the threads always in the same way.
template <class T, class Visit>
__device__ void each(const LineView<T>& line, Visit visit) {
  for (std::int64_t i = threadIdx.x; i < line.extent; i += line_threads) visit(i);
}

struct PlusFold {
  static __device__ double neutral() { return 0; }
  static __device__ double join(double a, double b) { return a + b; }
};
/// A NaN wins.
struct LargestFold {
  static __device__ double neutral() { return -std::numeric_limits<double>::infinity(); }
  static __device__ double join(double a, double b) { return a != a || a > b ? a : b; }
};

/// Folds `value(i)` over the line; every thread gets the result.
template <class Fold, class T, class Value>
__device__ double fold_block(const LineView<T>& line, Value value) {
  __shared__ double partial[line_threads];
  double folded = Fold::neutral();
  each(line, [&](std::int64_t i) { folded = Fold::join(folded, value(i)); });
  partial[threadIdx.x] = folded;
  for (int distance = line_threads / 2; distance > 0; distance /= 2) {
    __syncthreads();
    if (threadIdx.x < distance)
      partial[threadIdx.x] = Fold::join(partial[threadIdx.x], partial[threadIdx.x + distance]);
  }
  __syncthreads();
  folded = partial[0];
  __syncthreads();
  return folded;
}

/// What softmax and its kin are made of.
struct Exponentials {
  double largest;
  double sum;  ///< Of exp(x - largest).
};

template <class T>
__device__ Exponentials exponentials(const LineView<T>& line) {
  const double largest = fold_block<LargestFold>(line, [&](std::int64_t i) { return line.load(i); });
  return {largest, fold_block<PlusFold>(line, [&](std::int64_t i) { return std::exp(line.load(i) - largest); })};
}

}  // namespace stretto
