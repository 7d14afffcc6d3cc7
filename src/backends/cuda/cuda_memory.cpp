#include "backends/cuda/cuda_memory.h"

#include <cuda_runtime_api.h>

namespace stretto {

std::byte* CudaMemory::allocate(std::size_t bytes) {
  // CUDA itself can hang up on sizes near the top of the address space.
  if (bytes == 0 || bytes > capacity_ || loss_.lost()) return nullptr;
  void* data = nullptr;
  cudaError_t error = cudaSetDevice(gpu_);
  if (error == cudaSuccess) error = cudaMalloc(&data, bytes);
  if (error == cudaSuccess) return static_cast<std::byte*>(data);
  if (error == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
  } else {
    loss_.lose(error);
  }
  return nullptr;
}

void CudaMemory::release(std::byte* data, std::size_t /*bytes*/) {
  // At the end of a process the driver may be gone before the pool: then nothing is left to give back.
  if (cudaSetDevice(gpu_) == cudaSuccess) static_cast<void>(cudaFree(data));
  static_cast<void>(cudaGetLastError());
}

}  // namespace stretto
