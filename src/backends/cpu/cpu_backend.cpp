#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backends/cpu/host_memory.h"
#include "backends/cpu/topology.h"
#include "backends/cpu/worker_pool.h"
#include "base/environment.h"
#include "trace/recording.h"

namespace stretto {
namespace {

/// The cores of this machine, as one device or split into several (STRETTO_CPU_DEVICES): each with its own workers and
/// memory.
class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(Executor& executor) {
    const Environment& settings = environment();
    const std::vector<CoreSet> groups = split_cores(settings.cpu_devices);
    for (const CoreSet& cores : groups) {
      WorkerPool::Options options;
      options.workers = settings.workers.value_or(cores.core_count);
      options.random_seed = settings.schedule_seed;
      const std::string device = to_string(Device(DeviceKind::cpu, static_cast<int>(devices_.size())));
      // One device has all cores, and the system places its threads best.
      options.on_thread_start = [cores, device, bound = groups.size() > 1](int worker) {
        trace::name_thread(device + " worker " + std::to_string(worker));
        if (bound) bind_current_thread(cores);
      };
      devices_.push_back(
          {cores, std::make_unique<HostMemory>(), std::make_unique<WorkerPool>(executor, std::move(options))});
    }
  }

  DeviceKind kind() const override { return DeviceKind::cpu; }
  int device_count() const override { return static_cast<int>(devices_.size()); }
  DeviceDescription describe(int device) const override {
    const Part& part = devices_[device];
    const int workers = part.workers->worker_count();
    return {cpu_model_name(), part.memory->capacity(), part.cores.core_count,
            std::to_string(workers) + (workers == 1 ? " worker" : " workers")};
  }
  MemorySource& memory(int device) override { return *devices_[device].memory; }
  WorkerLane* workers(int device) override { return devices_[device].workers.get(); }
  bool host_accessible() const override { return true; }

 private:
  struct Part {
    CoreSet cores;
    std::unique_ptr<HostMemory> memory;
    std::unique_ptr<WorkerPool> workers;
  };

  std::vector<Part> devices_;
};

const BackendRegistration cpu_registration(DeviceKind::cpu, [](Executor& executor) -> std::unique_ptr<Backend> {
  return std::make_unique<CpuBackend>(executor);
});

}  // namespace
}  // namespace stretto
