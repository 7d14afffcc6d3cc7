#include "backends/cuda/gpu_moment.h"

#include <cmath>

#include "base/thread.h"

namespace stretto {

std::shared_ptr<const GpuMoment> GpuMoment::now() {
  const std::shared_ptr<GpuMoment> moment(new GpuMoment);
  cudaStream_t idle = nullptr;
  if (cudaStreamCreateWithFlags(&idle, cudaStreamNonBlocking) != cudaSuccess) return nullptr;
  bool known = cudaEventCreate(&moment->event_) == cudaSuccess;
  // The first time is slower than the second.
  for (int round = 0; round < 2 && known; ++round) {
    const std::int64_t before = nanoseconds_now();
    known = cudaEventRecord(moment->event_, idle) == cudaSuccess && cudaEventSynchronize(moment->event_) == cudaSuccess;
    moment->host_time_ = before + (nanoseconds_now() - before) / 2;
  }
  static_cast<void>(cudaStreamDestroy(idle));
  return known ? moment : nullptr;
}

GpuMoment::~GpuMoment() {
  if (event_ != nullptr) static_cast<void>(cudaEventDestroy(event_));
}

std::optional<std::int64_t> GpuMoment::host_time_of(cudaEvent_t event) const {
  float milliseconds = 0;
  if (cudaEventElapsedTime(&milliseconds, event_, event) != cudaSuccess) return {};
  return host_time_ + std::llround(static_cast<double>(milliseconds) * 1e6);
}

}  // namespace stretto
