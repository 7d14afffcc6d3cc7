#include "backends/sim/sim_device.h"

#include <fmt/format.h>
#include <stretto/core/device.h>

#include <algorithm>

namespace stretto {

SimDevice::SimDevice(int index, const SimDeviceOptions& options, std::size_t memory_bytes)
    : index_(index),
      options_(options),
      memory_(memory_bytes,
              {.protect = options.protect, .poison = !options.model.dry, .no_memory_at = options.faults.no_memory_at}) {
}

std::string SimDevice::name() const { return to_string(Device(DeviceKind::sim, index_)); }

SimTime SimDevice::occupy(SimTime earliest, SimTime duration) {
  const MutexLock lock(mutex_);
  busy_until_ = std::max(busy_until_, earliest) + duration;
  return busy_until_;
}

void SimDevice::lose(const std::string& why) {
  const MutexLock lock(mutex_);
  if (!loss_.empty()) return;
  loss_ = why;
  lost_.store(true, std::memory_order_release);
}

std::string SimDevice::loss() const {
  if (!lost()) return {};
  const MutexLock lock(mutex_);
  return loss_;
}

bool SimDevice::begin_work() {
  if (lost()) return false;
  const SimFaults& faults = options_.faults;
  if (faults.lost_at == 0 || ++works_ != faults.lost_at) return true;
  lose(fmt::format("STRETTO_SIM_MODEL has it lost at its kernel or copy number {}", faults.lost_at));
  return false;
}

void SimDevice::begin_stream() {
  const SimFaults& faults = options_.faults;
  if (faults.no_stream_at != 0 && ++streams_ == faults.no_stream_at)
    lose(fmt::format("STRETTO_SIM_MODEL refuses its stream number {}", faults.no_stream_at));
}

void SimDevice::begin_event() {
  const SimFaults& faults = options_.faults;
  if (faults.no_event_at != 0 && ++events_ == faults.no_event_at)
    lose(fmt::format("STRETTO_SIM_MODEL refuses its event number {}", faults.no_event_at));
}

SimDevice* SimMachine::device_of(const std::byte* address) {
  const auto device =
      std::ranges::find_if(devices, [address](SimDevice& one) { return one.memory().contains(address); });
  return device == devices.end() ? nullptr : &*device;
}

}  // namespace stretto
