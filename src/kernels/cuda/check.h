#pragma once

#include <cuda_runtime_api.h>

namespace stretto {

/// Throws unless `error` is success: OutOfMemoryError where the device has no more, otherwise DeviceError that names
/// the call and says what CUDA says.
void check_cuda(cudaError_t error, const char* call);

/// After a launch: throws DeviceError where the kernel could not be started.
void check_launch();

}  // namespace stretto
