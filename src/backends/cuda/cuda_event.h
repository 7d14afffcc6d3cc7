#pragma once

#include <atomic>
#include <deque>
#include <exception>
#include <vector>

#include <cuda_runtime_api.h>

#include "backend/lane.h"
#include "backends/cuda/fault_slots.h"
#include "backends/cuda/gpu_loss.h"

namespace stretto {

/// A moment in a stream.
class CudaEvent final : public Event {
 public:
  CudaEvent(int gpu, GpuLoss& loss);
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  /// Also true once the GPU is lost: `failure()` says so.
  bool complete() override;
  std::exception_ptr failure() override;

  /// `stream` null: there is none, since the GPU is lost.
  void record(cudaStream_t stream, FaultSlot* fault);
  cudaEvent_t handle() const { return handle_; }
  /// What the work before the event may have reported into; given back with the event.
  FaultSlot* fault() const { return fault_; }

 private:
  GpuLoss& loss_;
  cudaEvent_t handle_ = nullptr;
  std::atomic<bool> complete_{false};
  bool lost_ = false;  ///< Behind `complete_`.
  FaultSlot* fault_ = nullptr;
};

/// The events of one lane, made in batches when none is free and used again. They live as long as the process: the
/// driver frees them with it. Used by one thread at a time.
class CudaEventPool {
 public:
  CudaEventPool(int gpu, GpuLoss& loss) : gpu_(gpu), loss_(loss) {}

  CudaEvent& take();
  void give_back(CudaEvent& event) { unused_.push_back(&event); }

 private:
  const int gpu_;
  GpuLoss& loss_;
  std::deque<CudaEvent> events_;
  std::vector<CudaEvent*> unused_;
};

}  // namespace stretto
