#pragma once

#include <cstddef>

#include "backend/kernel_context.h"

namespace stretto {

/// Where a kernel of a simulated device runs: a lane of it. All kernels but "transfer" are those of the CPU.
class SimKernelContext : public KernelContext {
 public:
  /// Copies between the lane's device and the host, page-locked or not, or another simulated device. Where the memories
  /// lie is told by their addresses. Takes the lane as long as the model says, and returns when the last byte is where
  /// it belongs. Throws DeviceError where neither address is the device's own.
  virtual void copy(std::byte* to, const std::byte* from, std::size_t bytes) = 0;

 protected:
  using KernelContext::KernelContext;
};

inline SimKernelContext& sim_context(KernelContext& context) { return static_cast<SimKernelContext&>(context); }

}  // namespace stretto
