#include "backends/cuda/cuda_memory.h"

#include <cuda_runtime_api.h>

#include "kernels/cuda/check.h"

namespace stretto {

std::byte* CudaMemory::allocate(std::size_t bytes) {
  // CUDA itself can hang up on sizes near the top of the address space.
  if (bytes == 0 || bytes > capacity_) return nullptr;
  check_cuda(cudaSetDevice(gpu_), "cudaSetDevice");
  void* data = nullptr;
  const cudaError_t error = cudaMalloc(&data, bytes);
  if (error == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }
  check_cuda(error, "cudaMalloc");
  return static_cast<std::byte*>(data);
}

void CudaMemory::release(std::byte* data, std::size_t /*bytes*/) {
  // At the end of a process the driver may be gone before the pool: then nothing is left to give back.
  if (cudaSetDevice(gpu_) == cudaSuccess) static_cast<void>(cudaFree(data));
  static_cast<void>(cudaGetLastError());
}

}  // namespace stretto
