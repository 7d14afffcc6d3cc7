#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/cuda/check.h"
#include "kernels/cuda/cuda_context.h"
#include "kernels/cuda/layout.cuh"

namespace stretto {

namespace detail {

inline constexpr int fault_threads = 512;

/// Leaves the smallest position of a bad element in `*first`, which holds the largest number before.
template <class T, class IsBad>
__global__ void __launch_bounds__(fault_threads)
    find_fault(const T* data, Layout<1> layout, IsBad is_bad, unsigned long long* first) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * fault_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * fault_threads + threadIdx.x; i < layout.count;
       i += step) {
    if (!is_bad(data[layout.offset(0, i)])) continue;
    atomicMin(first, static_cast<unsigned long long>(i));
    return;
  }
}

template <class T>
__global__ void report_fault(const T* data, Layout<1> layout, const unsigned long long* first, DeviceFault* fault) {
  const auto position = static_cast<std::int64_t>(*first);
  if (position < 0) return;
  fault->value = static_cast<std::int64_t>(data[layout.offset(0, position)]);
  fault->position = position + 1;
}

}  // namespace detail

/// Looks for the first element, in C order, that `is_bad`; the call fails with what `failure` makes of it. Uses the
/// stream's workspace. The kernels that follow run all the same, and must stay in bounds.
template <class T, class IsBad>
void fail_for_bad_element(const Array& array, IsBad is_bad, KernelContext& context, MakeFailure failure) {
  CudaKernelContext& cuda = cuda_context(context);
  const Layout<1> layout = layout_of(-1, array);
  if (layout.count == 0) return;
  auto* const first = reinterpret_cast<unsigned long long*>(cuda.workspace(sizeof(unsigned long long)));
  DeviceFault* const fault = cuda.fault(std::move(failure));
  check_cuda(cudaMemsetAsync(first, 0xFF, sizeof(*first), cuda.stream()), "cudaMemsetAsync");
  const std::int64_t blocks =
      std::min<std::int64_t>(divide_up(layout.count, detail::fault_threads), 4 * cuda.multiprocessors());
  detail::find_fault<<<grid_of(blocks), detail::fault_threads, 0, cuda.stream()>>>(array.as<const T>(), layout, is_bad,
                                                                                   first);
  detail::report_fault<<<1, 1, 0, cuda.stream()>>>(array.as<const T>(), layout, first, fault);
  check_launch();
}

}  // namespace stretto
