#pragma once

#include <cuda_runtime_api.h>

namespace stretto {

/// A handle of cuBLAS for one stream. The library, which our own kernels do without, is loaded when the first is made.
class CublasHandle {
 public:
  /// The stream's GPU is the calling thread's current one. Throws DeviceError.
  explicit CublasHandle(cudaStream_t stream);
  ~CublasHandle();
  CublasHandle(const CublasHandle&) = delete;
  CublasHandle& operator=(const CublasHandle&) = delete;

  /// The cublasHandle_t.
  void* get() const { return handle_; }

 private:
  void* handle_ = nullptr;
};

}  // namespace stretto
