#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/thread.h"

namespace stretto::trace {

/// A moment as the threads note it that are recorded: what the processor's counter of time shows, or nanoseconds where
/// it has none that counts evenly and alike on all cores. Of one recording; to look at the counter takes half as long
/// as to ask for the time. A thread may look up to a microsecond before an earlier one of its loads is done.
using Ticks = std::int64_t;

/// Whether ticks are the counter's. Changes between recordings only.
extern std::atomic<bool> ticks_are_counted;

inline Ticks ticks() {
#if defined(__x86_64__)
  if (ticks_are_counted.load(std::memory_order_relaxed)) [[likely]]
    return static_cast<Ticks>(__builtin_ia32_rdtsc());
#endif
  return nanoseconds_now();
}

/// Tells the ticks of a recording in nanoseconds. What it once said of a moment that has passed it says again, and of a
/// later one it never says less. For one thread.
class TickClock {
 public:
  /// For a recording that begins. Looks at both clocks, the first time for a millisecond.
  TickClock();

  std::int64_t nanoseconds(Ticks moment) const;
  /// Holds the counter against the clock again where it is time for that: what comes from here on is told by what both
  /// show now. To be called again and again.
  void adjust();

 private:
  /// From a moment on, until the next one begins.
  struct Stretch {
    Ticks begin;
    std::int64_t nanoseconds;
    double nanoseconds_a_tick;
  };
  static constexpr std::size_t most_stretches = 256;

  const bool is_counted_;
  std::array<Stretch, most_stretches> stretches_;  ///< Number i at i modulo their number.
  std::size_t last_ = 0;
  std::int64_t seen_ = 0;  ///< What the clock showed at the beginning of the last.
};

}  // namespace stretto::trace
