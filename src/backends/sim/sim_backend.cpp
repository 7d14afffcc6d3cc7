#include "backends/sim/sim_backend.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/cpu/host_memory.h"
#include "base/environment.h"

namespace stretto {
namespace {

/// A quarter of what the host has, and never more than half of it for all devices together.
std::size_t default_memory_bytes(int devices) {
  return HostMemory().capacity() / static_cast<std::size_t>(std::max(4, 2 * devices));
}

std::unique_ptr<Backend> make_sim_backend(Executor& /*executor: lanes are given it with each piece of work*/) {
  const Environment& values = environment();
  return std::make_unique<SimBackend>(SimOptions{.devices = values.sim_devices,
                                                 .streams = values.streams,
                                                 .memory_bytes = std::nullopt,
                                                 .schedule_seed = values.schedule_seed});
}

const BackendRegistration registration(DeviceKind::sim, &make_sim_backend);

}  // namespace

SimBackend::SimBackend(const SimOptions& options) {
  std::vector<LaneRole> roles(static_cast<std::size_t>(options.streams), LaneRole::compute);
  roles.insert(roles.end(), {LaneRole::to_host, LaneRole::from_host, LaneRole::peer});
  std::optional<std::uint64_t> lane_seed = options.schedule_seed;
  for (int index = 0; index < options.devices; ++index) {
    SimDevice& device = devices_.emplace_back();
    device.memory = std::make_unique<SimMemory>(options.memory_bytes.value_or(default_memory_bytes(options.devices)));
    for (const LaneRole role : roles) {
      device.lanes.push_back(std::make_unique<SimLane>(role, lane_seed));
      if (lane_seed) ++*lane_seed;
    }
  }
}

SimBackend::~SimBackend() { stop(); }

std::string SimBackend::absence() const {
  return devices_.empty() ? "STRETTO_SIM_DEVICES says how many simulated devices there are" : "";
}

DeviceDescription SimBackend::describe(int device) const {
  const SimDevice& described = devices_.at(static_cast<std::size_t>(device));
  const auto streams =
      std::ranges::count(described.lanes, LaneRole::compute, [](const auto& lane) { return lane->role(); });
  return {.name = "simulated device",
          .memory_bytes = described.memory->capacity(),
          .compute_units = static_cast<int>(streams),
          .detail = fmt::format("{} streams, copy engines to the host, from the host and to other devices", streams)};
}

MemorySource& SimBackend::memory(int device) { return *devices_.at(static_cast<std::size_t>(device)).memory; }

std::vector<Lane*> SimBackend::lanes(int device) {
  std::vector<Lane*> lanes;
  for (const auto& lane : devices_.at(static_cast<std::size_t>(device)).lanes) lanes.push_back(lane.get());
  return lanes;
}

void SimBackend::stop() {
  // All are asked before the first is waited for: they wait for each other's events.
  for (const SimDevice& device : devices_)
    for (const auto& lane : device.lanes) lane->begin_stop();
  for (const SimDevice& device : devices_)
    for (const auto& lane : device.lanes) lane->join();
}

void SimBackend::reset_after_fork() {
  for (const SimDevice& device : devices_)
    for (const auto& lane : device.lanes) lane->reset_after_fork();
}

}  // namespace stretto
