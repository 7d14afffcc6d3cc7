#include "backends/cuda/cuda_lane.h"

#include <exception>
#include <utility>

#include <stretto/base/error.h>

#include "backends/cuda/peer_access.h"
#include "backends/cuda/profiler_range.h"
#include "base/log.h"
#include "base/thread.h"
#include "kernels/cuda/check.h"

namespace stretto {
namespace {

constexpr std::int64_t longest_distance = 1'000'000'000;

}  // namespace

CudaLane::CudaLane(LaneRole role, int gpu, int multiprocessors, std::vector<int> peers, GpuLoss& loss,
                   TimingChoice& choice)
    : role_(role),
      gpu_(gpu),
      multiprocessors_(multiprocessors),
      peers_(std::move(peers)),
      loss_(loss),
      events_(gpu, loss, false),
      choice_(choice),
      timed_events_(gpu, loss, true) {}

CudaLane::~CudaLane() {
  if (context_ != nullptr) static_cast<void>(cudaSetDevice(gpu_));
}

StreamContext* CudaLane::prepare() {
  if (loss_.lost()) [[unlikely]]
    return nullptr;
  if (context_ == nullptr) [[unlikely]] {
    try {
      check_cuda(cudaSetDevice(gpu_), "cudaSetDevice");
      context_ = std::make_unique<StreamContext>(gpu_, multiprocessors_);
      if (role_ == LaneRole::peer) reach_peers(gpu_, peers_);
    } catch (const std::exception& error) {
      loss_.lose(error.what());
      return nullptr;
    }
  }
  return context_.get();
}

void CudaLane::issue(Work& work, Executor& executor) {
  StreamContext* const context = prepare();
  if (context == nullptr) [[unlikely]] {
    executor.drop(work);
    return;
  }
  try {
    context->make_current();
    const char* const name = executor.name(work);
    const ProfilerRange range(name);
    if (keeps_times_) [[unlikely]]
      begin_timing(context->stream(), name);
    executor.execute(work, *context);
  } catch (const std::exception& error) {
    log(LogLevel::error, std::string("work on a stream failed: ") + error.what());
  } catch (...) {
    log(LogLevel::error, "work on a stream failed");
  }
}

void CudaLane::begin_timing(cudaStream_t stream, const char* name) {
  const std::int64_t now = nanoseconds_now();
  // Copies take longer than their events.
  if (!choice_.wants(name, now) && role_ == LaneRole::compute) return;
  // Times are measured in floats of milliseconds: not too far from where they are measured from.
  if (base_ == nullptr || now - base_->host_time() > longest_distance) base_ = GpuMoment::now();
  if (base_ == nullptr) return;
  if (behind_work_ == nullptr) behind_work_ = &timed_events_.take();
  behind_work_->begin_work(stream, base_, {&choice_, name});
}

void CudaLane::launch(cudaGraphExec_t graph) {
  StreamContext* const context = prepare();
  if (context == nullptr) return;
  try {
    context->make_current();
    check_cuda(cudaGraphLaunch(graph, context->stream()), "cudaGraphLaunch");
  } catch (const std::exception& error) {
    loss_.lose(error.what());
  }
}

Event* CudaLane::record() {
  StreamContext* const context = prepare();
  CudaEvent* const timed = std::exchange(behind_work_, nullptr);
  CudaEvent& event = timed != nullptr ? *timed : events_.take();
  if (context != nullptr) {
    event.record(context->stream(), context->take_fault());
  } else {
    event.record(nullptr, nullptr);
  }
  return &event;
}

void CudaLane::wait(Event& event) {
  StreamContext* const context = prepare();
  if (context == nullptr) return;
  const cudaError_t error = cudaStreamWaitEvent(context->stream(), static_cast<CudaEvent&>(event).handle(), 0);
  if (error != cudaSuccess) loss_.lose(error);
}

void CudaLane::release(Event* event) {
  auto& given_back = static_cast<CudaEvent&>(*event);
  if (FaultSlot* fault = given_back.fault()) context_->give_back(*fault);
  (given_back.timed() ? timed_events_ : events_).give_back(given_back);
}

}  // namespace stretto
