#pragma once

#include <cstdint>

#include "base/function_ref.h"

namespace stretto {

/// Where a kernel runs.
class KernelContext {
 public:
  KernelContext() = default;
  KernelContext(const KernelContext&) = delete;
  KernelContext& operator=(const KernelContext&) = delete;
  virtual ~KernelContext() = default;

  /// Calls `body(0) ... body(chunks - 1)`, in any order and on any worker of the device, and returns when all are done;
  /// the first exception is rethrown here. `chunks` must be a function of shapes, dtypes and layouts alone, never of
  /// the number of workers: that is what keeps results equal on every machine set-up. CPU and sim kernels only.
  virtual void parallel_for(std::int64_t chunks, FunctionRef<void(std::int64_t)> body) = 0;

  /// The lane's native queue (a cudaStream_t), null where kernels run on the calling thread.
  virtual void* native_stream() const { return nullptr; }
};

}  // namespace stretto
