#pragma once

#include <atomic>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include <cuda_runtime_api.h>

#include "backend/lane.h"
#include "backend/timing_choice.h"
#include "backends/cuda/fault_slots.h"
#include "backends/cuda/gpu_loss.h"
#include "backends/cuda/gpu_moment.h"

namespace stretto {

/// A moment in a stream.
class CudaEvent final : public Event {
 public:
  /// `timed`: it knows when the work before it ran.
  CudaEvent(int gpu, GpuLoss& loss, bool timed);
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  /// Also true once the GPU is lost: `failure()` says so.
  bool complete() override;
  std::exception_ptr failure() override;
  std::optional<WorkTimes> times() override;

  bool timed() const { return timed_; }
  /// Who learns how long work took that is called so.
  struct Learner {
    TimingChoice* choice = nullptr;
    const char* name = nullptr;
  };
  /// The work that the event will be recorded behind begins; its times are measured from `base`.
  void begin_work(cudaStream_t stream, std::shared_ptr<const GpuMoment> base, Learner learner);
  /// `stream` null: there is none, since the GPU is lost.
  void record(cudaStream_t stream, FaultSlot* fault);
  cudaEvent_t handle() const { return handle_; }
  /// What the work before the event may have reported into; given back with the event.
  FaultSlot* fault() const { return fault_; }

 private:
  GpuLoss& loss_;
  const bool timed_;
  cudaEvent_t handle_ = nullptr;
  cudaEvent_t begin_ = nullptr;            ///< In front of the work.
  std::shared_ptr<const GpuMoment> base_;  ///< Null where the last work's begin is not known.
  Learner learner_;
  std::atomic<bool> complete_{false};
  bool lost_ = false;  ///< Behind `complete_`.
  FaultSlot* fault_ = nullptr;
};

/// The events of one lane, made in batches when none is free and used again. They live as long as the process: the
/// driver frees them with it. Used by one thread at a time.
class CudaEventPool {
 public:
  CudaEventPool(int gpu, GpuLoss& loss, bool timed) : gpu_(gpu), loss_(loss), timed_(timed) {}

  CudaEvent& take();
  void give_back(CudaEvent& event) { unused_.push_back(&event); }

 private:
  const int gpu_;
  GpuLoss& loss_;
  const bool timed_;
  std::deque<CudaEvent> events_;
  std::vector<CudaEvent*> unused_;
};

}  // namespace stretto
