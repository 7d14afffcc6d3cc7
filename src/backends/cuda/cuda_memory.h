#pragma once

#include <cstddef>

#include "backend/backend.h"
#include "backends/cuda/gpu_loss.h"

namespace stretto {

/// The memory of a GPU, by plain cudaMalloc: pools take slabs of it.
class CudaMemory final : public MemorySource {
 public:
  /// `capacity` is this device's share where several share a GPU.
  CudaMemory(int gpu, std::size_t capacity, GpuLoss& loss) : gpu_(gpu), capacity_(capacity), loss_(loss) {}

  std::byte* allocate(std::size_t bytes) override;
  void release(std::byte* data, std::size_t bytes) override;
  std::size_t capacity() const override { return capacity_; }

 private:
  const int gpu_;
  const std::size_t capacity_;
  GpuLoss& loss_;
};

}  // namespace stretto
