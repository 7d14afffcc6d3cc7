#pragma once

#include <atomic>
#include <string>

#include <cuda_runtime_api.h>

#include "base/mutex.h"

namespace stretto {

/// Whether a GPU can do nothing any more, and why: what an operation on it does wrong, such as touching memory that is
/// none, ends all use of it in this process, by every device that shares it. Any thread.
class GpuLoss {
 public:
  bool lost() const { return lost_.load(std::memory_order_acquire); }
  /// Empty while it is not lost.
  std::string reason() const;
  /// The first reason stays.
  void lose(const std::string& reason);
  void lose(cudaError_t error);

 private:
  std::atomic<bool> lost_{false};
  mutable Mutex mutex_;
  std::string reason_ STRETTO_GUARDED_BY(mutex_);
};

}  // namespace stretto
