#include "backends/cuda/cuda_foreign_queues.h"

#include <cuda_runtime_api.h>

#include "kernels/cuda/check.h"

namespace stretto {
namespace {

/// Makes a GPU the calling thread's current one; that of the program is so again at the end.
class CurrentGpu {
 public:
  explicit CurrentGpu(int gpu) {
    check_cuda(cudaGetDevice(&before_), "cudaGetDevice");
    check_cuda(cudaSetDevice(gpu), "cudaSetDevice");
  }
  ~CurrentGpu() { static_cast<void>(cudaSetDevice(before_)); }
  CurrentGpu(const CurrentGpu&) = delete;
  CurrentGpu& operator=(const CurrentGpu&) = delete;

 private:
  int before_ = 0;
};

class CudaMoment final : public ForeignQueues::Moment {
 public:
  explicit CudaMoment(cudaStream_t stream) {
    check_cuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreate");
    const cudaError_t error = cudaEventRecord(event_, stream);
    if (error == cudaSuccess) return;
    static_cast<void>(cudaEventDestroy(event_));
    check_cuda(error, "cudaEventRecord");
  }
  // What waits for the event goes on doing so.
  ~CudaMoment() override { static_cast<void>(cudaEventDestroy(event_)); }
  CudaMoment(const CudaMoment&) = delete;
  CudaMoment& operator=(const CudaMoment&) = delete;

  cudaEvent_t event() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace

std::shared_ptr<ForeignQueues::Moment> CudaForeignQueues::mark(int device, void* queue) {
  const CurrentGpu current(number(device));
  return std::make_shared<CudaMoment>(static_cast<cudaStream_t>(queue));
}

void CudaForeignQueues::wait(int device, void* queue, Moment& moment) {
  const CurrentGpu current(number(device));
  check_cuda(cudaStreamWaitEvent(static_cast<cudaStream_t>(queue), static_cast<CudaMoment&>(moment).event(), 0),
             "cudaStreamWaitEvent");
}

}  // namespace stretto
