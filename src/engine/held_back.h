#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/thread.h"
#include "engine/scheduler.h"

namespace stretto {

/// How a thread waits that is held back until others are done with some of what is pending.
///
/// It looks again after naps instead of being woken, so that those at work owe it nothing. Each nap takes as long as
/// the wait has lasted: so it ends late by as much again at most, while what is pending lasts several times as long;
/// and the naps are few, since on a machine with no core beside the workers' each takes one of theirs.
class HeldBack {
 public:
  /// `progress`: any number that changes when something moves.
  HeldBack(Scheduler& scheduler, std::uint64_t progress) : scheduler_(scheduler), seen_(progress) {
    scheduler_.blocked().fetch_add(1, std::memory_order_relaxed);
  }
  ~HeldBack() { scheduler_.blocked().fetch_sub(1, std::memory_order_relaxed); }
  HeldBack(const HeldBack&) = delete;
  HeldBack& operator=(const HeldBack&) = delete;

  /// Waits a little. False when nothing has moved for a second: what is pending may wait for something that only the
  /// caller can do.
  bool wait(std::uint64_t progress) {
    const Clock::time_point now = Clock::now();
    if (progress != seen_) {
      seen_ = progress;
      moved_ = now;
    } else if (now - moved_ > std::chrono::seconds(1)) {
      return false;
    }
    if (polls_ < spins) {
      ++polls_;
      pause(64);
    } else {
      const auto waited = std::chrono::duration_cast<std::chrono::microseconds>(now - began_);
      sleep_for(std::clamp(waited, shortest_nap, longest_nap));
    }
    return true;
  }

 private:
  using Clock = SteadyClock;
  static constexpr int spins = 8;
  static constexpr std::chrono::microseconds shortest_nap{50}, longest_nap{2000};

  Scheduler& scheduler_;
  std::uint64_t seen_;
  int polls_ = 0;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point moved_ = began_;
};

}  // namespace stretto
