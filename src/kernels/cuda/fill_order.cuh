#pragma once

#include <cstdint>

#include "kernels/cuda/check.h"
#include "kernels/cuda/cuda_context.h"
#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/layout.cuh"

namespace stretto {

inline constexpr int fill_threads = 256;

/// A thread for each group of `size` elements in index order: `values(group, out)` gives the group's.
template <int size, class T, class Values>
__global__ void __launch_bounds__(fill_threads) fill_kernel(T* out, Layout<1> layout, Values values) {
  const std::int64_t groups = (layout.count + size - 1) / size;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * fill_threads;
  for (std::int64_t group = static_cast<std::int64_t>(blockIdx.x) * fill_threads + threadIdx.x; group < groups;
       group += step) {
    T items[size];
    values(group, items);
#pragma unroll
    for (int i = 0; i < size; ++i) {
      const std::int64_t at = group * size + i;
      if (at < layout.count) out[layout.offset(0, at)] = items[i];
    }
  }
}

/// Fills the output by a function of an element's number in C order.
template <int size, class T, class Values>
void fill_in_order(const Array& output, KernelContext& context, Values values) {
  const Layout<1> layout = layout_of(-1, output);
  if (layout.count == 0) return;
  fill_kernel<size>
      <<<grid_of(divide_up(layout.count, fill_threads * size)), fill_threads, 0, cuda_context(context).stream()>>>(
          output.as<T>(), layout, values);
  check_launch();
}

}  // namespace stretto
