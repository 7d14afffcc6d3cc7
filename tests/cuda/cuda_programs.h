#pragma once

#include <string>

#include <gtest/gtest.h>
#include <stretto/stretto.h>

namespace stretto {

/// Tests of whole programs on CUDA devices; skipped where there is none.
class CudaPrograms : public testing::Test {
 protected:
  void SetUp() override {
    if (device_count(DeviceKind::cuda) == 0) GTEST_SKIP() << "no CUDA device here";
  }
  static Device last_gpu() { return gpu(device_count(DeviceKind::cuda) - 1); }
};

/// What waiting for the tensor throws.
inline std::string failure_of(const Tensor& tensor) {
  try {
    tensor.wait();
  } catch (const Error& error) {
    return error.what();
  }
  return "no failure";
}

}  // namespace stretto
