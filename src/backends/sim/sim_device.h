#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>

#include "backends/sim/page_locks.h"
#include "backends/sim/sim_memory.h"
#include "backends/sim/sim_model.h"
#include "base/mutex.h"

namespace stretto {

/// What the lanes of one simulated device share. Any thread.
class SimDevice {
 public:
  SimDevice(int index, const SimDeviceOptions& options, std::size_t memory_bytes);

  const SimModel& model() const { return options_.model; }
  bool has_peer_access() const { return options_.peer_access; }
  SimMemory& memory() { return memory_; }
  const SimMemory& memory() const { return memory_; }
  /// "sim:0".
  std::string name() const;

  /// Keeps all of the device's units busy for `duration`, from `earliest` on or from when they are free; returns the
  /// end. Kernels of all lanes come one after the other, as kernels do that fill their device.
  SimTime occupy(SimTime earliest, SimTime duration);

  /// The device can do nothing any more, for this reason. The first one stays.
  void lose(const std::string& why);
  bool lost() const { return lost_.load(std::memory_order_acquire); }
  /// Empty while it is not.
  std::string loss() const;

  /// Counted, for faults on purpose: a kernel or copy is about to begin, which is false on a lost device; a lane is
  /// used for the first time; an event is recorded.
  bool begin_work();
  void begin_stream();
  void begin_event();

 private:
  const int index_;
  const SimDeviceOptions options_;
  SimMemory memory_;
  std::atomic<bool> lost_{false};
  std::atomic<std::uint64_t> works_{0};
  std::atomic<std::uint64_t> streams_{0};
  std::atomic<std::uint64_t> events_{0};
  mutable Mutex mutex_;
  SimTime busy_until_ STRETTO_GUARDED_BY(mutex_){0};
  std::string loss_ STRETTO_GUARDED_BY(mutex_);
};

/// All simulated devices of a backend, and the host's memory as they see it. The devices are made before any lane.
struct SimMachine {
  std::deque<SimDevice> devices;
  PageLocks page_locks;

  /// The device that an address lies in; null for the host's memory.
  SimDevice* device_of(const std::byte* address);
};

}  // namespace stretto
