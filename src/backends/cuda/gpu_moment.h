#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <cuda_runtime_api.h>

namespace stretto {

/// A moment of which both the GPU's and the host's time are known: what comes later on the GPU is measured from here.
class GpuMoment {
 public:
  /// The current GPU's present. Blocks for the some ten microseconds that an idle stream takes. Null where the GPU does
  /// not answer.
  static std::shared_ptr<const GpuMoment> now();
  GpuMoment(const GpuMoment&) = delete;
  GpuMoment& operator=(const GpuMoment&) = delete;
  ~GpuMoment();

  /// In nanoseconds of the host's clock.
  std::int64_t host_time() const { return host_time_; }
  /// When an event that keeps its time happened, by the host's clock; empty where the GPU does not say. Its error grows
  /// with the distance, to a microsecond behind ten seconds.
  std::optional<std::int64_t> host_time_of(cudaEvent_t event) const;

 private:
  GpuMoment() = default;

  cudaEvent_t event_ = nullptr;
  std::int64_t host_time_ = 0;
};

}  // namespace stretto
