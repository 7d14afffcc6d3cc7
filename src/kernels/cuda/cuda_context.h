#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>

#include <cuda_runtime_api.h>

#include "backend/kernel_context.h"

namespace stretto {

/// What a kernel finds wrong on the device, in page-locked memory that the host reads when the task is done.
struct DeviceFault {
  std::int64_t position;  ///< Of the first bad element in C order, plus one; 0 where all is well.
  std::int64_t value;     ///< The bad element.
};

using MakeFailure = std::function<std::exception_ptr(const DeviceFault&)>;

/// Where a CUDA kernel runs: a stream of the device that is current on the calling thread, and what belongs to it.
class CudaKernelContext : public KernelContext {
 public:
  explicit CudaKernelContext(cudaStream_t stream) : stream_(stream) {}

  cudaStream_t stream() const { return stream_; }
  void* native_stream() const final { return stream_; }
  /// Kernels for CUDA are cut by their grid. Runs `body` on the calling thread.
  void parallel_for(std::int64_t chunks, FunctionRef<void(std::int64_t)> body) final {
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) body(chunk);
  }

  virtual int multiprocessors() const = 0;
  /// Device memory of at least `bytes`, 256-byte aligned, private to the stream. What it holds is undefined, and what
  /// the call's kernels leave there is lost with the next call of `workspace`. Throws OutOfMemoryError.
  virtual std::byte* workspace(std::size_t bytes) = 0;
  /// A place for the call's kernels to say what is wrong; `failure` makes an error of it. Good until the event behind
  /// the work is complete. At most one a call.
  virtual DeviceFault* fault(MakeFailure failure) = 0;
  /// Appends a copy between the device and memory of the host, page-locked or not. Neither may change before the work
  /// is done. Does not wait.
  virtual void copy_to_host(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
  virtual void copy_from_host(std::byte* to, const std::byte* from, std::size_t bytes) = 0;

 private:
  cudaStream_t stream_;
};

inline CudaKernelContext& cuda_context(KernelContext& context) { return static_cast<CudaKernelContext&>(context); }

}  // namespace stretto
