#include "engine/devices.h"

#include <stretto/base/error.h>

#include "base/environment.h"
#include "engine/launcher.h"
#include "engine/scheduler.h"

namespace stretto {

EngineDevice::EngineDevice(Device which, Backend& owner, MemorySource& source, std::size_t memory_limit)
    : device(which),
      backend(&owner),
      memory(std::make_unique<MemoryPool>(source, memory_limit, false)),
      allocations(memory->limit()) {}

void EngineDevice::start_threads() {
  try {
    if (workers != nullptr) {
      workers->start();
    } else {
      launcher->start();
    }
  } catch (const Error& error) {
    throw DeviceError("nothing can run on " + to_string(device) + ": " + error.message());
  }
  started.store(true, std::memory_order_release);
}

DeviceTable::DeviceTable(Scheduler& scheduler) {
  const std::size_t limit = environment().memory_limit.value_or(0);
  for (int kind = 0; kind < device_kind_count; ++kind) {
    const BackendFactory factory = backend_factory(static_cast<DeviceKind>(kind));
    if (factory == nullptr) continue;
    backends_[kind] = factory(scheduler);
    Backend& backend = *backends_[kind];
    for (int index = 0; index < backend.device_count(); ++index) {
      MemorySource* source = &backend.memory(index);
      if (static_cast<DeviceKind>(kind) == DeviceKind::cpu)
        source = lockable_.emplace_back(std::make_unique<LockableMemory>(*source, *this)).get();
      auto device =
          std::make_unique<EngineDevice>(Device(static_cast<DeviceKind>(kind), index), backend, *source, limit);
      device->workers = backend.workers(index);
      device->host_accessible = backend.host_accessible();
      if (device->workers == nullptr) device->launcher = std::make_unique<Launcher>(scheduler, *device);
      devices_[kind].push_back(std::move(device));
    }
    if (backend.device_count() > 0 && backend.workers(0) == nullptr && count(DeviceKind::cpu) > 0) {
      EngineDevice& host = known(DeviceKind::cpu, 0);
      CopyMemory& memory = copy_memory_[kind];
      memory.source = std::make_unique<LockedMemory>(host.backend->memory(0), backend);
      memory.pool = std::make_unique<MemoryPool>(*memory.source,
                                                 environment().pinned_limit.value_or(host.memory->limit() / 4), false);
    }
  }
}

DeviceTable::~DeviceTable() = default;

DeviceKind DeviceTable::copying_kind() const {
  for (std::size_t kind = 0; kind < devices_.size(); ++kind) {
    if (copy_memory_[kind].pool == nullptr) continue;
    for (const auto& device : devices_[kind])
      if (device->started.load(std::memory_order_acquire) && !device->launcher->forked())
        return static_cast<DeviceKind>(kind);
  }
  return DeviceKind::cpu;
}

EngineDevice& DeviceTable::at(Device device) {
  const auto& kind = devices_[static_cast<std::size_t>(device.kind())];
  if (device.index() >= 0 && static_cast<std::size_t>(device.index()) < kind.size()) return *kind[device.index()];
  std::string present;
  for_each([&](const EngineDevice& one) { present += (present.empty() ? "" : ", ") + to_string(one.device); });
  std::string message = "there is no device " + to_string(device) + "; this process has " + present;
  Backend* own = backend(device.kind());
  const std::string absence = own == nullptr ? std::string() : own->absence();
  if (!absence.empty()) message += " (" + absence + ")";
  throw DeviceError(message);
}

}  // namespace stretto
