#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "backend/recorded_work.h"
#include "backends/cuda/gpu_loss.h"
#include "backends/cuda/stream_context.h"
#include "base/mutex.h"

namespace stretto {

/// Captures streams of its own, and makes a CUDA graph of what they were given. Made at first use.
class CudaRecorder final : public WorkRecorder {
 public:
  CudaRecorder(int gpu, int multiprocessors, GpuLoss& loss);
  ~CudaRecorder() override;

  std::span<Lane* const> lanes() const override { return lanes_; }
  void begin() override;
  std::unique_ptr<RecordedWork> end() override;
  std::string problem() const override { return problem_; }

 private:
  class RecordingLane;
  class Mark;
  class Graph;

  /// Where kernels of one piece of work report what is wrong.
  struct Fault {
    std::size_t work;
    std::size_t lane;
    FaultSlot* slot;
  };
  /// What graphs that are gone leave behind: their end may come on any thread.
  struct Returned {
    Mutex mutex;
    std::vector<Fault> faults STRETTO_GUARDED_BY(mutex);
  };

  /// The first problem stays.
  void fail(const std::string& problem);
  bool failed() const { return !problem_.empty(); }
  bool check(cudaError_t error, const char* call);
  StreamContext* context(std::size_t lane);
  cudaEvent_t take_event();

  const int gpu_;
  const int multiprocessors_;
  GpuLoss& loss_;
  std::vector<std::unique_ptr<StreamContext>> contexts_;
  std::vector<std::unique_ptr<RecordingLane>> own_lanes_;
  std::vector<Lane*> lanes_;
  std::vector<cudaEvent_t> events_;  ///< All there are; the first `used_events_` of them are in use.
  std::size_t used_events_ = 0;
  std::deque<Mark> marks_;
  const std::shared_ptr<Returned> returned_ = std::make_shared<Returned>();

  // Of what is being recorded.
  std::string problem_;
  bool is_capturing_ = false;
  std::size_t works_ = 0;
  bool uses_streams_ = false;
  std::vector<Fault> faults_;
};

}  // namespace stretto
