#include "backends/cuda/gpu_loss.h"

namespace stretto {

std::string GpuLoss::reason() const {
  if (!lost()) return {};
  const MutexLock lock(mutex_);
  return reason_;
}

void GpuLoss::lose(const std::string& reason) {
  const MutexLock lock(mutex_);
  if (lost_.load(std::memory_order_relaxed)) return;
  reason_ = reason;
  lost_.store(true, std::memory_order_release);
}

void GpuLoss::lose(cudaError_t error) {
  static_cast<void>(cudaGetLastError());
  lose(cudaGetErrorString(error));
}

}  // namespace stretto
