#include "kernels/cuda/check.h"

#include <string>

#include <stretto/base/error.h>

namespace stretto {

void check_cuda(cudaError_t error, const char* call) {
  if (error == cudaSuccess) [[likely]]
    return;
  // Errors that do not stick are forgotten here, so that the next call is not blamed for them.
  static_cast<void>(cudaGetLastError());
  const std::string text = std::string(call) + " failed: " + cudaGetErrorString(error);
  if (error == cudaErrorMemoryAllocation) throw OutOfMemoryError(text);
  throw DeviceError(text);
}

void check_launch() { check_cuda(cudaPeekAtLastError(), "the launch of a kernel"); }

}  // namespace stretto
