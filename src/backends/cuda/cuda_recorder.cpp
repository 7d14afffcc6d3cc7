#include "backends/cuda/cuda_recorder.h"

#include <exception>
#include <utility>

#include "backends/cuda/cuda_lane.h"
#include "kernels/cuda/check.h"

namespace stretto {

/// An event while streams are captured: only they can wait for it.
class CudaRecorder::Mark final : public Event {
 public:
  explicit Mark(cudaEvent_t handle) : handle_(handle) {}
  bool complete() override { return false; }
  cudaEvent_t handle() const { return handle_; }

 private:
  cudaEvent_t handle_;
};

class CudaRecorder::Graph final : public RecordedWork {
 public:
  Graph(int gpu, cudaGraph_t graph, bool uses_streams, std::vector<Fault> faults, std::shared_ptr<Returned> returned)
      : gpu_(gpu),
        graph_(graph),
        uses_streams_(uses_streams),
        faults_(std::move(faults)),
        returned_(std::move(returned)) {}
  ~Graph() override {
    // At the end of a process the driver may be gone before.
    if (executable_ != nullptr) static_cast<void>(cudaGraphExecDestroy(executable_));
    if (graph_ != nullptr) static_cast<void>(cudaGraphDestroy(graph_));
    const MutexLock lock(returned_->mutex);
    returned_->faults.insert(returned_->faults.end(), faults_.begin(), faults_.end());
  }

  std::string prepare() override {
    cudaError_t error = cudaSetDevice(gpu_);
    if (error == cudaSuccess) error = cudaGraphInstantiate(&executable_, graph_, 0);
    static_cast<void>(cudaGraphDestroy(std::exchange(graph_, nullptr)));
    if (error == cudaSuccess) error = upload();
    if (error == cudaSuccess) return {};
    static_cast<void>(cudaGetLastError());
    return std::string("cudaGraphInstantiate: ") + cudaGetErrorString(error);
  }

  void launch(std::span<Lane* const> lanes) override { static_cast<CudaLane*>(lanes.front())->launch(executable_); }

  bool uses_recorder() const override { return uses_streams_; }

  void take_failures(FunctionRef<void(std::size_t, const std::exception_ptr&)> visit) override {
    for (const Fault& fault : faults_) {
      const std::exception_ptr failure = fault.slot->failure();
      if (failure == nullptr) continue;
      *fault.slot->reported = {};
      visit(fault.work, failure);
    }
  }

 private:
  /// So that the first launch does not have to.
  cudaError_t upload() const {
    cudaStream_t stream = nullptr;
    cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error != cudaSuccess) return error;
    error = cudaGraphUpload(executable_, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    static_cast<void>(cudaStreamDestroy(stream));
    return error;
  }

  const int gpu_;
  cudaGraph_t graph_;
  cudaGraphExec_t executable_ = nullptr;
  const bool uses_streams_;
  const std::vector<Fault> faults_;
  const std::shared_ptr<Returned> returned_;
};

class CudaRecorder::RecordingLane final : public Lane {
 public:
  RecordingLane(CudaRecorder& owner, std::size_t number) : Lane(WithoutNumber()), owner_(owner), number_(number) {}

  LaneRole role() const override { return LaneRole::compute; }

  void issue(Work& work, Executor& executor) override {
    const std::size_t number = owner_.works_++;
    StreamContext* const context = owner_.context(number_);
    if (context == nullptr) return;
    try {
      context->make_current();
      executor.execute(work, *context);
    } catch (const std::exception& error) {
      owner_.fail(error.what());
    } catch (...) {
      owner_.fail("work threw something that is no exception");
    }
    if (FaultSlot* const slot = context->take_fault())
      owner_.faults_.push_back({.work = number, .lane = number_, .slot = slot});
    owner_.uses_streams_ |= context->take_was_used();
  }

  Event* record() override {
    StreamContext* const context = owner_.context(number_);
    const cudaEvent_t event = context == nullptr ? nullptr : owner_.take_event();
    if (event != nullptr) owner_.check(cudaEventRecord(event, context->stream()), "cudaEventRecord");
    return &owner_.marks_.emplace_back(event);
  }

  void wait(Event& event) override {
    const cudaEvent_t awaited = static_cast<Mark&>(event).handle();
    StreamContext* const context = awaited == nullptr ? nullptr : owner_.context(number_);
    if (context != nullptr) owner_.check(cudaStreamWaitEvent(context->stream(), awaited, 0), "cudaStreamWaitEvent");
  }

  void release(Event* /*event*/) override {}

 private:
  CudaRecorder& owner_;
  const std::size_t number_;
};

CudaRecorder::CudaRecorder(int gpu, int multiprocessors, GpuLoss& loss)
    : gpu_(gpu), multiprocessors_(multiprocessors), loss_(loss), contexts_(recorder_lanes) {
  for (std::size_t number = 0; number < recorder_lanes; ++number) {
    own_lanes_.push_back(std::make_unique<RecordingLane>(*this, number));
    lanes_.push_back(own_lanes_.back().get());
  }
}

CudaRecorder::~CudaRecorder() {
  if (cudaSetDevice(gpu_) != cudaSuccess) return;
  for (const cudaEvent_t event : events_) static_cast<void>(cudaEventDestroy(event));
}

void CudaRecorder::fail(const std::string& problem) {
  if (problem_.empty()) problem_ = problem;
}

bool CudaRecorder::check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return true;
  static_cast<void>(cudaGetLastError());
  fail(std::string(call) + ": " + cudaGetErrorString(error));
  return false;
}

/// Null once something has failed: then nothing more is recorded.
StreamContext* CudaRecorder::context(std::size_t lane) {
  if (failed()) return nullptr;
  return contexts_[lane].get();
}

cudaEvent_t CudaRecorder::take_event() {
  if (used_events_ == events_.size()) {
    cudaEvent_t event = nullptr;
    if (!check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate")) return nullptr;
    events_.push_back(event);
  }
  return events_[used_events_++];
}

void CudaRecorder::begin() {
  problem_.clear();
  marks_.clear();
  used_events_ = works_ = 0;
  uses_streams_ = false;
  std::vector<Fault> returned;
  {
    const MutexLock lock(returned_->mutex);
    returned.swap(returned_->faults);
  }
  for (const Fault& fault : returned) contexts_[fault.lane]->give_back(*fault.slot);
  if (loss_.lost()) fail("the device is lost");
  if (failed() || !check(cudaSetDevice(gpu_), "cudaSetDevice")) return;
  try {
    for (std::unique_ptr<StreamContext>& context : contexts_)
      if (context == nullptr) context = std::make_unique<StreamContext>(gpu_, multiprocessors_);
  } catch (const std::exception& error) {
    fail(error.what());
    return;
  }
  // What would wait for the streams, or do work elsewhere, is refused to this thread alone: others go on meanwhile.
  is_capturing_ = check(cudaStreamBeginCapture(contexts_.front()->stream(), cudaStreamCaptureModeThreadLocal),
                        "cudaStreamBeginCapture");
}

std::unique_ptr<RecordedWork> CudaRecorder::end() {
  cudaGraph_t graph = nullptr;
  if (std::exchange(is_capturing_, false))
    check(cudaStreamEndCapture(contexts_.front()->stream(), &graph), "cudaStreamEndCapture");
  if (graph == nullptr) fail("nothing was captured");
  auto recorded = std::make_unique<Graph>(gpu_, graph, uses_streams_, std::exchange(faults_, {}), returned_);
  return failed() ? nullptr : std::move(recorded);
}

}  // namespace stretto
