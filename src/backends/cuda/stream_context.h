#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <cuda.h>

#include "backends/cuda/cublas_handle.h"
#include "backends/cuda/fault_slots.h"
#include "backends/cuda/host_staging.h"
#include "kernels/cuda/cuda_context.h"

namespace stretto {

/// A stream and what its kernels use. Made while its GPU is the calling thread's current one.
class StreamContext final : public CudaKernelContext {
 public:
  StreamContext(int gpu, int multiprocessors);
  /// Waits for what is in the stream.
  ~StreamContext() override;

  /// Makes its GPU the calling thread's current one again: an earlier body may have changed that.
  void make_current() const;
  int multiprocessors() const override { return multiprocessors_; }
  std::byte* workspace(std::size_t bytes) override;
  DeviceFault* fault(MakeFailure failure) override;
  void copy_to_host(std::byte* to, const std::byte* from, std::size_t bytes) override;
  void copy_from_host(std::byte* to, const std::byte* from, std::size_t bytes) override;
  void* native_blas() override;

  /// What the work since the last event may report into, or null.
  FaultSlot* take_fault() { return std::exchange(fault_, nullptr); }
  void give_back(FaultSlot& slot) { faults_.give_back(slot); }
  /// Whether memory that belongs to the stream was asked for since the last call.
  bool take_was_used() { return std::exchange(was_used_, false); }

 private:
  HostStaging& staging();

  const int gpu_;
  const int multiprocessors_;
  const CUcontext own_context_;
  std::byte* workspace_ = nullptr;
  std::size_t workspace_bytes_ = 0;
  std::vector<std::byte*> outgrown_;
  std::unique_ptr<HostStaging> staging_;
  std::unique_ptr<CublasHandle> blas_;
  FaultSlots faults_;
  FaultSlot* fault_ = nullptr;
  bool was_used_ = false;
};

}  // namespace stretto
