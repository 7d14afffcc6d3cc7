#include "backends/cuda/cuda_backend.h"

#include <fmt/format.h>

#include <algorithm>

#include <cuda_runtime_api.h>
#include <stretto/base/error.h>

#include "backends/cuda/host_pages.h"
#include "kernels/cuda/check.h"

namespace stretto {
namespace {

/// Where there is no device, and why.
class NoCuda final : public Backend {
 public:
  explicit NoCuda(std::string reason) : reason_(std::move(reason)) {}

  DeviceKind kind() const override { return DeviceKind::cuda; }
  int device_count() const override { return 0; }
  std::string absence() const override { return reason_; }
  DeviceDescription describe(int device) const override { throw_absent(device); }
  MemorySource& memory(int device) override { throw_absent(device); }

 private:
  [[noreturn]] void throw_absent(int device) const {
    throw DeviceError("there is no device " + to_string(Device(DeviceKind::cuda, device)) + ": " + reason_);
  }

  std::string reason_;
};

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string why_no_gpu(cudaError_t error) {
  static_cast<void>(cudaGetLastError());
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return "this machine has no NVIDIA driver";
  if (error == cudaErrorInsufficientDriver) {
    return fmt::format("the driver is for CUDA {}, and this build needs CUDA {}", version_text(driver),
                       version_text(CUDART_VERSION));
  }
  if (error == cudaErrorNoDevice) return "the driver sees no GPU (CUDA_VISIBLE_DEVICES may hide it)";
  return std::string("CUDA does not start: ") + cudaGetErrorString(error);
}

std::vector<LaneRole> roles_of(int streams) {
  std::vector<LaneRole> roles(static_cast<std::size_t>(streams), LaneRole::compute);
  roles.insert(roles.end(), {LaneRole::to_host, LaneRole::from_host, LaneRole::peer});
  return roles;
}

}  // namespace

CudaBackend::CudaBackend(const CudaOptions& options) : foreign_queues_(options.gpus) {
  for (const int gpu : options.gpus) {
    cudaDeviceProp properties{};
    check_cuda(cudaGetDeviceProperties(&properties, gpu), "cudaGetDeviceProperties");
    GpuDevice& device = devices_.emplace_back();
    device.gpu = gpu;
    device.name = properties.name;
    device.multiprocessors = properties.multiProcessorCount;
    device.architecture = 10 * properties.major + properties.minor;
    const auto sharers = static_cast<std::size_t>(std::ranges::count(options.gpus, gpu));
    device.memory = std::make_unique<CudaMemory>(gpu, properties.totalGlobalMem / sharers, losses_[gpu]);
    std::vector<int> peers;
    for (const int other : options.gpus)
      if (options.peer_access && other != gpu && std::ranges::find(peers, other) == peers.end()) peers.push_back(other);
    device.timing = std::make_unique<TimingChoice>();
    for (const LaneRole role : roles_of(options.streams))
      device.lanes.push_back(
          std::make_unique<CudaLane>(role, gpu, device.multiprocessors, peers, losses_[gpu], *device.timing));
  }
}

DeviceDescription CudaBackend::describe(int device) const {
  const GpuDevice& described = devices_.at(static_cast<std::size_t>(device));
  const auto streams =
      std::ranges::count(described.lanes, LaneRole::compute, [](const auto& lane) { return lane->role(); });
  const auto sharers = std::ranges::count(devices_, described.gpu, &GpuDevice::gpu);
  std::string detail =
      fmt::format("GPU {}, {} streams, copies to the host, from the host and to other devices", described.gpu, streams);
  if (sharers > 1) detail += fmt::format("; shared by {} devices", sharers);
  return {.name = described.name,
          .memory_bytes = described.memory->capacity(),
          .compute_units = described.multiprocessors,
          .detail = std::move(detail)};
}

MemorySource& CudaBackend::memory(int device) { return *devices_.at(static_cast<std::size_t>(device)).memory; }

std::vector<Lane*> CudaBackend::lanes(int device) {
  std::vector<Lane*> lanes;
  for (const auto& lane : devices_.at(static_cast<std::size_t>(device)).lanes) lanes.push_back(lane.get());
  return lanes;
}

WorkRecorder* CudaBackend::recorder(int device, int number) {
  GpuDevice& recorded = devices_.at(static_cast<std::size_t>(device));
  std::unique_ptr<CudaRecorder>& recorder = recorded.recorders.at(static_cast<std::size_t>(number));
  if (recorder == nullptr)
    recorder = std::make_unique<CudaRecorder>(recorded.gpu, recorded.multiprocessors, losses_[recorded.gpu]);
  return recorder.get();
}

std::string CudaBackend::loss(int device) const {
  return losses_.at(devices_.at(static_cast<std::size_t>(device)).gpu).reason();
}

bool CudaBackend::lock_pages(std::byte* data, std::size_t bytes) { return lock_host_pages(data, bytes); }

void CudaBackend::unlock_pages(std::byte* data, std::size_t /*bytes*/) { unlock_host_pages(data); }

std::unique_ptr<Backend> make_cuda_backend(const Environment& environment) {
  const std::optional<std::vector<int>>& wanted = environment.cuda_devices;
  if (wanted && wanted->empty()) return std::make_unique<NoCuda>("STRETTO_CUDA_DEVICES asks for none");
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0)
    return std::make_unique<NoCuda>(why_no_gpu(error != cudaSuccess ? error : cudaErrorNoDevice));
  CudaOptions options{.gpus = {}, .streams = environment.streams, .peer_access = environment.peer_access};
  if (wanted) {
    options.gpus = *wanted;
  } else {
    for (int gpu = 0; gpu < count; ++gpu) options.gpus.push_back(gpu);
  }
  for (const int gpu : options.gpus) {
    if (gpu >= count)
      return std::make_unique<NoCuda>(
          fmt::format("STRETTO_CUDA_DEVICES names GPU {}, and the GPUs of this machine are 0 to {}", gpu, count - 1));
  }
  try {
    return std::make_unique<CudaBackend>(options);
  } catch (const Error& failure) {
    return std::make_unique<NoCuda>(failure.message());
  }
}

}  // namespace stretto
