#pragma once

#include <string>

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stretto/base/error.h>

#include "kernels/cuda/check.h"

namespace stretto {

/// A function of the driver, which is not linked: it may be absent. Throws DeviceError where it has none of this name.
template <typename Function>
Function driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check_cuda(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found),
             "cudaGetDriverEntryPointByVersion");
  if (function == nullptr) throw DeviceError(std::string("the driver has no ") + name);
  return reinterpret_cast<Function>(function);
}

/// Throws DeviceError where the driver's function `call` failed.
inline void check_driver(CUresult result, const char* call) {
  if (result != CUDA_SUCCESS)
    throw DeviceError(std::string(call) + " failed with error " + std::to_string(static_cast<int>(result)));
}

}  // namespace stretto
