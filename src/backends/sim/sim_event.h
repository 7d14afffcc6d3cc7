#pragma once

#include <atomic>
#include <vector>

#include "backend/lane.h"
#include "base/mutex.h"

namespace stretto {

class SimQueue;

/// A moment in a simulated lane. Its queue owns it and uses it again once nobody holds it: neither who recorded it, nor
/// the command that will finish it, nor the commands of other queues that wait for it.
class SimEvent final : public Event {
 public:
  explicit SimEvent(SimQueue& owner) : owner_(owner) {}

  bool complete() override { return complete_.load(std::memory_order_acquire); }

  /// Makes a fresh event of it, with so many holders.
  void prepare(bool complete, int holders) {
    complete_.store(complete, std::memory_order_relaxed);
    holders_.store(holders, std::memory_order_relaxed);
  }
  void hold() { holders_.fetch_add(1, std::memory_order_relaxed); }
  /// The last one to drop it gives it back to its queue.
  void drop();

  /// Says that everything before it is done, and wakes the queues that wait.
  void finish();
  /// Has `queue` woken by `finish`, until `remove_waiter`, after which `finish` does not touch it.
  void add_waiter(SimQueue& queue);
  void remove_waiter(SimQueue& queue);

 private:
  SimQueue& owner_;
  std::atomic<bool> complete_{false};
  std::atomic<int> holders_{0};
  Mutex mutex_;
  std::vector<SimQueue*> waiters_ STRETTO_GUARDED_BY(mutex_);
};

}  // namespace stretto
