#include "backends/cuda/cuda_event.h"

#include <string>
#include <utility>

#include <stretto/base/error.h>

#include "backends/cuda/driver_function.h"

namespace stretto {
namespace {

constexpr int batch = 64;

/// As cudaEventRecord, by the driver's own function: each task is followed by one, and the runtime adds to its time.
cudaError_t record_event(cudaEvent_t event, cudaStream_t stream) {
  static const auto record = driver_function<decltype(&cuEventRecord)>("cuEventRecord");
  return static_cast<cudaError_t>(record(event, stream));
}

}  // namespace

CudaEvent::CudaEvent(int gpu, GpuLoss& loss, bool timed) : loss_(loss), timed_(timed) {
  cudaError_t error = cudaSetDevice(gpu);
  if (error == cudaSuccess && timed) error = cudaEventCreateWithFlags(&begin_, cudaEventDefault);
  const unsigned flags = timed ? cudaEventDefault : cudaEventDisableTiming;
  if (error == cudaSuccess) error = cudaEventCreateWithFlags(&handle_, flags);
  if (error == cudaSuccess) return;
  handle_ = nullptr;
  loss_.lose(error);
}

bool CudaEvent::complete() {
  if (complete_.load(std::memory_order_acquire)) return true;
  const cudaError_t state = cudaEventQuery(handle_);
  if (state == cudaErrorNotReady) return false;
  if (state != cudaSuccess) {
    loss_.lose(state);
    lost_ = true;
  }
  complete_.store(true, std::memory_order_release);
  return true;
}

std::exception_ptr CudaEvent::failure() {
  if (lost_) {
    return std::make_exception_ptr(
        DeviceError("the device was lost: " + loss_.reason() + "; this or an earlier operation on it is to blame"));
  }
  return fault_ == nullptr ? nullptr : fault_->failure();
}

void CudaEvent::begin_work(cudaStream_t stream, std::shared_ptr<const GpuMoment> base, Learner learner) {
  base_ = std::move(base);
  learner_ = learner;
  // What goes wrong here goes wrong again, and is noted, when the event itself is recorded.
  if (begin_ == nullptr || cudaEventRecord(begin_, stream) != cudaSuccess) base_ = nullptr;
}

std::optional<WorkTimes> CudaEvent::times() {
  if (base_ == nullptr || lost_) return {};
  const std::optional<std::int64_t> began = base_->host_time_of(begin_), ended = base_->host_time_of(handle_);
  if (!began || !ended) return {};
  learner_.choice->learn(learner_.name, *ended - *began);
  return WorkTimes{*began, *ended};
}

void CudaEvent::record(cudaStream_t stream, FaultSlot* fault) {
  fault_ = fault;
  lost_ = false;
  cudaError_t error = cudaErrorUnknown;
  if (handle_ != nullptr && stream != nullptr) error = record_event(handle_, stream);
  if (error != cudaSuccess) {
    if (stream != nullptr) loss_.lose(error);
    lost_ = true;
  }
  complete_.store(lost_, std::memory_order_release);
}

CudaEvent& CudaEventPool::take() {
  if (unused_.empty()) {
    for (int i = 0; i < batch; ++i) unused_.push_back(&events_.emplace_back(gpu_, loss_, timed_));
  }
  CudaEvent& event = *unused_.back();
  unused_.pop_back();
  return event;
}

}  // namespace stretto
