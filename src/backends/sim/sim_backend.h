#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backends/sim/sim_device.h"
#include "backends/sim/sim_lane.h"
#include "backends/sim/sim_recorder.h"

namespace stretto {

/// How simulated devices are made.
struct SimOptions {
  int devices = 0;
  int streams = 4;                             ///< Compute lanes of a device, at least 1.
  std::optional<std::size_t> memory_bytes;     ///< Of one device; a quarter of the host's, or less with many devices.
  std::optional<std::uint64_t> schedule_seed;  ///< With it, lanes dawdle at random.
  std::vector<SimDeviceOptions>
      each{};  ///< How each device differs from the fastest and most faithful; may be shorter.
};

/// Devices with streams, copy engines and memories of their own, made of host threads: what a GPU program needs to be
/// tested without a GPU. Each lane is one thread. Kernels run on it; copies to and from ordinary memory of the host
/// have a second thread beside them.
class SimBackend final : public Backend {
 public:
  explicit SimBackend(const SimOptions& options);
  /// As `stop()`.
  ~SimBackend() override;

  DeviceKind kind() const override { return DeviceKind::sim; }
  int device_count() const override { return static_cast<int>(lanes_.size()); }
  std::string absence() const override;
  DeviceDescription describe(int device) const override;
  MemorySource& memory(int device) override;
  std::vector<Lane*> lanes(int device) override;
  WorkRecorder* recorder(int device, int number) override;
  bool records() const override { return true; }
  bool host_accessible() const override { return false; }
  std::string loss(int device) const override;
  bool lock_pages(std::byte* data, std::size_t bytes) override;
  void unlock_pages(std::byte* data, std::size_t bytes) override;

  /// From here on the device can do nothing any more, for this reason. What is under way is finished, but not known to
  /// be; what is queued is dropped.
  void lose(int device, const std::string& why);

  /// Ends all threads after the command each is at. What is queued is dropped: events behind it never complete. Blocks
  /// until the threads have ended.
  void stop();
  /// In the child after a fork: forgets the threads that are gone, everything queued and all events. Memory keeps its
  /// contents.
  void reset_after_fork();

 private:
  SimMachine machine_;
  std::vector<std::vector<std::unique_ptr<SimLane>>> lanes_;  ///< Of each device.
  std::vector<std::array<std::unique_ptr<SimRecorder>, recorder_count>> recorders_;
};

}  // namespace stretto
