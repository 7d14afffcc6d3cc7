#pragma once

#include <atomic>
#include <exception>
#include <vector>

#include "backend/lane.h"
#include "backends/sim/sim_time.h"
#include "base/mutex.h"

namespace stretto {

class SimQueue;

/// A moment in a simulated lane. Its queue owns it and uses it again once nobody holds it: neither who recorded it, nor
/// the command that will finish it, nor the commands of other queues that wait for it.
class SimEvent final : public Event {
 public:
  explicit SimEvent(SimQueue& owner) : owner_(owner) {}

  bool complete() override {
    // Most models have events known at once: then nobody asks for the time.
    return finished() && (known_at_ == SimTime{0} || sim_now() >= known_at_);
  }
  std::exception_ptr failure() override;
  std::optional<WorkTimes> times() override { return work_; }

  /// Makes a fresh event of it, with so many holders.
  void prepare(int holders) {
    finished_.store(false, std::memory_order_relaxed);
    holders_.store(holders, std::memory_order_relaxed);
  }
  void hold() { holders_.fetch_add(1, std::memory_order_relaxed); }
  /// The last one to drop it gives it back to its queue.
  void drop();

  /// Says that everything before it is done or dropped, and wakes the queues that wait. The host and other lanes know
  /// of it `latency` after `moment`. `work` is when the last work ran.
  void finish(SimTime moment, SimTime latency, bool lost, const std::optional<WorkTimes>& work);
  /// Whether `finish` was called.
  bool finished() const { return finished_.load(std::memory_order_acquire); }
  /// Once finished: from when on other lanes go on.
  SimTime moment_for_others() const { return moment_for_others_; }

  /// Has `queue` woken by `finish`, until `remove_waiter`, after which `finish` does not touch it.
  void add_waiter(SimQueue& queue);
  void remove_waiter(SimQueue& queue);

 private:
  SimQueue& owner_;
  std::atomic<bool> finished_{false};
  SimTime moment_for_others_{0};  ///< This and the next three are behind `finished_`.
  SimTime known_at_{0};
  bool lost_ = false;
  std::optional<WorkTimes> work_;
  std::atomic<int> holders_{0};
  Mutex mutex_;
  std::vector<SimQueue*> waiters_ STRETTO_GUARDED_BY(mutex_);
};

}  // namespace stretto
