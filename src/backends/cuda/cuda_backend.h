#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backends/cuda/cuda_foreign_queues.h"
#include "backends/cuda/cuda_lane.h"
#include "backends/cuda/cuda_memory.h"
#include "backends/cuda/cuda_recorder.h"
#include "backends/cuda/gpu_loss.h"
#include "base/environment.h"

namespace stretto {

/// How devices are made of the machine's GPUs.
struct CudaOptions {
  std::vector<int> gpus;    ///< The GPU of each device, as CUDA counts them; one may be there several times.
  int streams = 4;          ///< Compute lanes of a device, at least 1.
  bool peer_access = true;  ///< Whether GPUs copy to each other directly, where the machine lets them.
};

/// NVIDIA GPUs. Devices that share a GPU have lanes and memory pools of their own.
class CudaBackend final : public Backend {
 public:
  /// Throws DeviceError where a GPU cannot be used.
  explicit CudaBackend(const CudaOptions& options);

  DeviceKind kind() const override { return DeviceKind::cuda; }
  int device_count() const override { return static_cast<int>(devices_.size()); }
  DeviceDescription describe(int device) const override;
  MemorySource& memory(int device) override;
  std::vector<Lane*> lanes(int device) override;
  WorkRecorder* recorder(int device, int number) override;
  bool records() const override { return true; }
  /// The compute capability of a device's GPU: 90 for 9.0.
  int architecture(int device) const { return devices_.at(static_cast<std::size_t>(device)).architecture; }
  std::string loss(int device) const override;
  bool lock_pages(std::byte* data, std::size_t bytes) override;
  void unlock_pages(std::byte* data, std::size_t bytes) override;
  ForeignQueues* foreign_queues() override { return &foreign_queues_; }

 private:
  struct GpuDevice {
    int gpu;
    std::string name;
    int multiprocessors;
    int architecture;
    std::unique_ptr<CudaMemory> memory;
    std::unique_ptr<TimingChoice> timing;
    std::vector<std::unique_ptr<CudaLane>> lanes;
    std::array<std::unique_ptr<CudaRecorder>, recorder_count> recorders;
  };

  std::map<int, GpuLoss> losses_;  ///< By GPU.
  std::vector<GpuDevice> devices_;
  CudaForeignQueues foreign_queues_;
};

/// The backend that the environment asks for; one without devices, which says why, where there is no driver, no GPU, or
/// none wanted.
std::unique_ptr<Backend> make_cuda_backend(const Environment& environment);

}  // namespace stretto
