#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "backends/sim/sim_queue.h"

namespace stretto {

/// A stream or copy engine of a simulated device.
class SimLane final : public Lane {
 public:
  SimLane(SimMachine& machine, SimDevice& device, LaneRole role, std::optional<std::uint64_t> delay_seed);

  LaneRole role() const override { return role_; }
  void issue(Work& work, Executor& executor) override { queue_->issue(work, executor); }
  Event* record() override { return queue_->record(); }
  void wait(Event& event) override { queue_->wait(static_cast<SimEvent&>(event)); }
  void release(Event* event) override { static_cast<SimEvent*>(event)->drop(); }

  void begin_stop() { queue_->begin_stop(); }
  void join() { queue_->join(); }
  /// In the child after a fork: starts anew. The thread that is gone, what was queued and all events recorded before
  /// must not be touched any more.
  void reset_after_fork();

 private:
  std::unique_ptr<SimQueue> make_queue() const;

  SimMachine& machine_;
  SimDevice& device_;
  const LaneRole role_;
  const std::optional<std::uint64_t> delay_seed_;
  std::unique_ptr<SimQueue> queue_;
};

}  // namespace stretto
