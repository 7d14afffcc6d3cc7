#include "backends/sim/sim_backend.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/cpu/host_memory.h"
#include "base/environment.h"
#include "base/log.h"

namespace stretto {
namespace {

/// A quarter of what the host has, and never more than half of it for all devices together.
std::size_t default_memory_bytes(int devices) {
  return HostMemory().capacity() / static_cast<std::size_t>(std::max(4, 2 * devices));
}

std::unique_ptr<Backend> make_sim_backend(Executor& /*executor: lanes are given it with each piece of work*/) {
  const Environment& values = environment();
  SimOptions options{.devices = values.sim_devices,
                     .streams = values.streams,
                     .memory_bytes = std::nullopt,
                     .schedule_seed = values.schedule_seed,
                     .each = parse_sim_model(values.sim_model.value_or(""), values.sim_devices)};
  if (std::ranges::any_of(options.each, [](const SimDeviceOptions& one) { return one.model.dry; }))
    log(LogLevel::warning, "STRETTO_SIM_MODEL has dry devices: their times mean something, values do not");
  return std::make_unique<SimBackend>(options);
}

const BackendRegistration sim_registration(DeviceKind::sim, &make_sim_backend);

}  // namespace

SimBackend::SimBackend(const SimOptions& options) : recorders_(static_cast<std::size_t>(options.devices)) {
  for (int index = 0; index < options.devices; ++index) {
    const auto position = static_cast<std::size_t>(index);
    const SimDeviceOptions own = position < options.each.size() ? options.each[position] : SimDeviceOptions{};
    const std::size_t usual = options.memory_bytes.value_or(default_memory_bytes(options.devices));
    machine_.devices.emplace_back(index, own, own.memory_bytes.value_or(usual));
  }
  std::vector<LaneRole> roles(static_cast<std::size_t>(options.streams), LaneRole::compute);
  roles.insert(roles.end(), {LaneRole::to_host, LaneRole::from_host, LaneRole::peer});
  std::optional<std::uint64_t> lane_seed = options.schedule_seed;
  for (SimDevice& device : machine_.devices) {
    auto& lanes = lanes_.emplace_back();
    for (const LaneRole role : roles) {
      lanes.push_back(std::make_unique<SimLane>(machine_, device, role, lane_seed));
      if (lane_seed) ++*lane_seed;
    }
  }
}

SimBackend::~SimBackend() { stop(); }

std::string SimBackend::absence() const {
  return lanes_.empty() ? "STRETTO_SIM_DEVICES says how many simulated devices there are" : "";
}

DeviceDescription SimBackend::describe(int device) const {
  const auto& lanes = lanes_.at(static_cast<std::size_t>(device));
  const auto streams = std::ranges::count(lanes, LaneRole::compute, [](const auto& lane) { return lane->role(); });
  const SimDevice& described = machine_.devices.at(static_cast<std::size_t>(device));
  return {.name = described.model().dry ? "simulated device, dry" : "simulated device",
          .memory_bytes = described.memory().capacity(),
          .compute_units = static_cast<int>(streams),
          .detail = fmt::format("{} streams, copy engines to the host, from the host and to other devices", streams)};
}

MemorySource& SimBackend::memory(int device) { return machine_.devices.at(static_cast<std::size_t>(device)).memory(); }

std::vector<Lane*> SimBackend::lanes(int device) {
  std::vector<Lane*> lanes;
  for (const auto& lane : lanes_.at(static_cast<std::size_t>(device))) lanes.push_back(lane.get());
  return lanes;
}

WorkRecorder* SimBackend::recorder(int device, int number) {
  auto& recorder = recorders_.at(static_cast<std::size_t>(device)).at(static_cast<std::size_t>(number));
  if (recorder == nullptr) recorder = std::make_unique<SimRecorder>();
  return recorder.get();
}

std::string SimBackend::loss(int device) const { return machine_.devices.at(static_cast<std::size_t>(device)).loss(); }

void SimBackend::lose(int device, const std::string& why) {
  machine_.devices.at(static_cast<std::size_t>(device)).lose(why);
}

bool SimBackend::lock_pages(std::byte* data, std::size_t bytes) { return machine_.page_locks.lock(data, bytes); }

void SimBackend::unlock_pages(std::byte* data, std::size_t /*bytes*/) { machine_.page_locks.unlock(data); }

void SimBackend::stop() {
  // All are asked before the first is waited for: they wait for each other's events.
  for (const auto& lanes : lanes_)
    for (const auto& lane : lanes) lane->begin_stop();
  for (const auto& lanes : lanes_)
    for (const auto& lane : lanes) lane->join();
}

void SimBackend::reset_after_fork() {
  for (const auto& lanes : lanes_)
    for (const auto& lane : lanes) lane->reset_after_fork();
}

}  // namespace stretto
