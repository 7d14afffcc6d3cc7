#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/lane.h"
#include "backend/timing_choice.h"
#include "backends/cuda/cuda_event.h"
#include "backends/cuda/stream_context.h"

namespace stretto {

/// A stream of a GPU, made at first use: a process that uses no GPU pays for none.
class CudaLane final : public Lane {
 public:
  /// `peers`: the other GPUs that copies may come from or go to directly. `choice`: shared by the device's lanes.
  CudaLane(LaneRole role, int gpu, int multiprocessors, std::vector<int> peers, GpuLoss& loss, TimingChoice& choice);
  /// Waits for what is in the stream.
  ~CudaLane() override;

  LaneRole role() const override { return role_; }
  void issue(Work& work, Executor& executor) override;
  Event* record() override;
  void wait(Event& event) override;
  void release(Event* event) override;
  void keep_times(bool keep) override { keeps_times_ = keep; }
  /// Appends a graph, behind which an event is to be recorded.
  void launch(cudaGraphExec_t graph);

 private:
  /// What the lane needs, made at first use. Null on a lost GPU.
  StreamContext* prepare();
  /// What is enqueued next, which is called so, is to be timed if it is worth it.
  void begin_timing(cudaStream_t stream, const char* name);

  const LaneRole role_;
  const int gpu_;
  const int multiprocessors_;
  const std::vector<int> peers_;
  GpuLoss& loss_;
  std::unique_ptr<StreamContext> context_;
  CudaEventPool events_;
  bool keeps_times_ = false;
  TimingChoice& choice_;
  CudaEventPool timed_events_;
  CudaEvent* behind_work_ = nullptr;  ///< What is recorded next, where it keeps the time of the work before it.
  std::shared_ptr<const GpuMoment> base_;
};

}  // namespace stretto
