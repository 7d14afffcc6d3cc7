#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "backend/backend.h"
#include "backends/sim/sim_lane.h"
#include "backends/sim/sim_memory.h"

namespace stretto {

/// How simulated devices are made.
struct SimOptions {
  int devices = 0;
  int streams = 4;                             ///< Compute lanes of a device, at least 1.
  std::optional<std::size_t> memory_bytes;     ///< Of one device; a quarter of the host's, or less with many devices.
  std::optional<std::uint64_t> schedule_seed;  ///< With it, lanes dawdle at random.
};

/// Devices with streams, copy engines and memories of their own, made of host threads: what a GPU program needs to be
/// tested without a GPU. Each lane is one thread.
class SimBackend final : public Backend {
 public:
  explicit SimBackend(const SimOptions& options);
  /// As `stop()`.
  ~SimBackend() override;

  DeviceKind kind() const override { return DeviceKind::sim; }
  int device_count() const override { return static_cast<int>(devices_.size()); }
  std::string absence() const override;
  DeviceDescription describe(int device) const override;
  MemorySource& memory(int device) override;
  std::vector<Lane*> lanes(int device) override;
  bool host_accessible() const override { return false; }

  /// Ends all threads after the command each is at. What is queued is dropped: events behind it never complete. Blocks
  /// until the threads have ended.
  void stop();
  /// In the child after a fork: forgets the threads that are gone, everything queued and all events. Memory keeps its
  /// contents.
  void reset_after_fork();

 private:
  struct SimDevice {
    std::unique_ptr<SimMemory> memory;
    std::vector<std::unique_ptr<SimLane>> lanes;
  };

  std::vector<SimDevice> devices_;
};

}  // namespace stretto
