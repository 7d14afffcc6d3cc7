#include "backends/cuda/cuda_event.h"

#include <string>

#include <stretto/base/error.h>

namespace stretto {
namespace {

constexpr int batch = 64;

}  // namespace

// On a lost device there is no event, which querying it says.
CudaEvent::CudaEvent() { static_cast<void>(cudaEventCreateWithFlags(&handle_, cudaEventDisableTiming)); }

bool CudaEvent::complete() {
  if (complete_.load(std::memory_order_acquire)) return true;
  const cudaError_t state = cudaEventQuery(handle_);
  if (state == cudaErrorNotReady) return false;
  error_ = state;
  complete_.store(true, std::memory_order_release);
  return true;
}

std::exception_ptr CudaEvent::failure() {
  if (error_ != cudaSuccess) {
    return std::make_exception_ptr(DeviceError(std::string("the device was lost: ") + cudaGetErrorString(error_) +
                                               "; this or an earlier operation on it is to blame"));
  }
  return fault_ == nullptr ? nullptr : fault_->failure();
}

void CudaEvent::record(cudaStream_t stream, FaultSlot* fault) {
  fault_ = fault;
  error_ = cudaSuccess;
  complete_.store(false, std::memory_order_relaxed);
  // On a lost device nothing can be recorded any more; the query says so.
  static_cast<void>(cudaEventRecord(handle_, stream));
}

CudaEvent& CudaEventPool::take() {
  if (unused_.empty()) {
    for (int i = 0; i < batch; ++i) unused_.push_back(&events_.emplace_back());
  }
  CudaEvent& event = *unused_.back();
  unused_.pop_back();
  return event;
}

}  // namespace stretto
