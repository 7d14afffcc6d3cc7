#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "backends/sim/sim_time.h"

namespace stretto {

/// Delays drawn from a seed, with which one thread disturbs the order in which it meets others. Used by that thread
/// alone.
class SimDelays {
 public:
  /// Without a seed there are none.
  explicit SimDelays(std::optional<std::uint64_t> seed) {
    if (seed) drawn_.emplace(*seed);
  }

  /// Now and then sleeps for some microseconds, or lets others run.
  void dawdle() {
    if (!drawn_) return;
    constexpr std::uint64_t microseconds = 40;
    const std::uint64_t drawn = (*drawn_)();
    switch (drawn % 8) {
      case 0:
        sim_sleep_until(sim_now() + sim_least_sleep + std::chrono::microseconds(1 + drawn / 8 % microseconds));
        break;
      case 1: sim_yield(); break;
      default: break;
    }
  }

  /// One of two ways to do the same thing; without a seed always false.
  bool choose() { return drawn_ && (*drawn_)() % 2 == 0; }

 private:
  std::optional<std::mt19937_64> drawn_;
};

}  // namespace stretto
