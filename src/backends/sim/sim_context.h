#pragma once

#include <cstdint>
#include <optional>

#include "backends/sim/sim_device.h"
#include "backends/sim/sim_staging.h"
#include "kernels/sim/sim_context.h"

namespace stretto {

/// Where the kernels of one lane run: on the lane's thread, from beginning to end. Knows how long they take.
class SimContext final : public SimKernelContext, private KernelMeter {
 public:
  SimContext(SimMachine& machine, SimDevice& device, LaneRole role, std::optional<std::uint64_t> delay_seed);

  void parallel_for(std::int64_t chunks, FunctionRef<void(std::int64_t)> body) override {
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) body(chunk);
  }
  void copy(std::byte* to, const std::byte* from, std::size_t bytes) override;

  /// A piece of work begins at this moment. What it does to memory it does at once; with `late`, when it should be
  /// done, which takes the host's time besides: each is where other faults of order show.
  void begin(SimTime moment, bool late);
  /// It has ended: the moment at which it has on the device, which may be yet to come.
  SimTime end();
  /// Once it has ended: when the device began with it, which others may have kept busy before.
  SimTime began() const { return began_; }

  /// Makes copies return at once. Any thread.
  void begin_stop() { staging_.begin_stop(); }
  void stop() { staging_.stop(); }

 private:
  bool begin(const KernelCost& cost, std::span<const std::byte* const> arrays) override;
  SimTime copy_from(SimTime moment, std::byte* to, const std::byte* from, std::size_t bytes);
  SimTime copy_directly(SimTime moment, std::byte* to, const std::byte* from, std::size_t bytes, double rate) const;

  SimMachine& machine_;
  SimDevice& device_;
  const LaneRole role_;
  SimStaging staging_;
  SimTime moment_{0};  ///< How far the device is with the work, but for its kernels.
  SimTime began_{0};
  SimTime kernels_{0};  ///< How long its kernels take.
  SimTime started_{0};  ///< When the host began.
  bool late_ = false;
  SimTime counted_{0};  ///< What of the host's time since then is in `moment_`.
};

}  // namespace stretto
