#pragma once

#include <atomic>
#include <deque>
#include <exception>
#include <vector>

#include <cuda_runtime_api.h>

#include "backend/lane.h"
#include "backends/cuda/fault_slots.h"

namespace stretto {

/// A moment in a stream.
class CudaEvent final : public Event {
 public:
  CudaEvent();
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  /// Also true once the device is lost: `failure()` says so.
  bool complete() override;
  std::exception_ptr failure() override;

  void record(cudaStream_t stream, FaultSlot* fault);
  cudaEvent_t handle() const { return handle_; }
  /// What the work before the event may have reported into; given back with the event.
  FaultSlot* fault() const { return fault_; }

 private:
  cudaEvent_t handle_ = nullptr;
  std::atomic<bool> complete_{false};
  cudaError_t error_ = cudaSuccess;  ///< Behind `complete_`.
  FaultSlot* fault_ = nullptr;
};

/// The events of one lane, made in batches when none is free and used again. They live as long as the process: the
/// driver frees them with it. Used by one thread at a time.
class CudaEventPool {
 public:
  CudaEvent& take();
  void give_back(CudaEvent& event) { unused_.push_back(&event); }

 private:
  std::deque<CudaEvent> events_;
  std::vector<CudaEvent*> unused_;
};

}  // namespace stretto
