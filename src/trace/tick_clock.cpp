#include "trace/tick_clock.h"

#include <algorithm>
#include <fstream>
#include <string>

#include <stretto/base/schedule.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace stretto::trace {
namespace {

/// Whether the processor's counter is one to tell the time by: it says so, and Linux tells the time by it.
bool has_even_counter() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned counts_evenly = 1 << 8;
  if (__get_cpuid(0x80000007, &a, &b, &c, &d) == 0 || (d & counts_evenly) == 0) return false;
  std::string source;
  std::ifstream("/sys/devices/system/clocksource/clocksource0/current_clocksource") >> source;
  return source == "tsc";
#else
  return false;
#endif
}

/// What both clocks show at one moment.
struct Look {
  Ticks ticks;
  std::int64_t nanoseconds;
  Ticks width;  ///< The moment is known to so many ticks.
};

/// The narrowest of some, as the thread may lose its core between two clocks.
Look look() {
  Look best{};
  for (int i = 0; i < 5; ++i) {
    const Ticks before = ticks();
    const std::int64_t nanoseconds = nanoseconds_now();
    const Ticks behind = ticks();
    if (i == 0 || behind - before < best.width) best = {before + (behind - before) / 2, nanoseconds, behind - before};
  }
  return best;
}

double nanoseconds_a_tick(const Look& from, const Look& to) {
  return static_cast<double>(to.nanoseconds - from.nanoseconds) / static_cast<double>(to.ticks - from.ticks);
}

/// So long it is watched how fast the counter is before anything is told by it.
constexpr std::int64_t first_look = 1'000'000;
/// Until it is looked again: the longer it was watched, the longer it may be relied on.
std::int64_t length_of_stretch(std::size_t number) {
  constexpr std::int64_t longest = 100'000'000;
  return number < 5 ? 4 * first_look << number : longest;
}

}  // namespace

constinit std::atomic<bool> ticks_are_counted{false};

TickClock::TickClock()
    : is_counted_([] {
        static const bool has_counter = has_even_counter();
        // Where time is to be counted it is from here on, or the clocks would part later.
        return !deterministic_schedule() && has_counter;
      }()) {
  ticks_are_counted.store(is_counted_, std::memory_order_relaxed);
  if (!is_counted_) return;
  static const Look first = look();
  Look now = look();
  while (now.nanoseconds - first.nanoseconds < first_look) now = look();
  stretches_[0] = {now.ticks, now.nanoseconds, nanoseconds_a_tick(first, now)};
  seen_ = now.nanoseconds;
}

std::int64_t TickClock::nanoseconds(Ticks moment) const {
  if (!is_counted_) return moment;
  const std::size_t first = last_ < most_stretches ? 0 : last_ - most_stretches + 1;
  std::size_t i = last_;
  while (i > first && moment < stretches_[i % most_stretches].begin) --i;
  const Stretch& stretch = stretches_[i % most_stretches];
  return stretch.nanoseconds +
         static_cast<std::int64_t>(static_cast<double>(moment - stretch.begin) * stretch.nanoseconds_a_tick);
}

void TickClock::adjust() {
  if (!is_counted_) return;
  const Stretch& last = stretches_[last_ % most_stretches];
  if (nanoseconds(ticks()) - last.nanoseconds < length_of_stretch(last_)) return;
  const Look now = look();
  const auto passed = static_cast<double>(now.ticks - last.begin);
  const double speed = static_cast<double>(now.nanoseconds - seen_) / passed;
  // What this clock is wrong by is made good over a stretch, as it never goes back.
  const std::int64_t told = nanoseconds(now.ticks);
  const double correction = static_cast<double>(now.nanoseconds - told) / passed;
  const double corrected = speed + std::clamp(correction, -speed / 2, speed);
  ++last_;
  stretches_[last_ % most_stretches] = {now.ticks, told, corrected};
  seen_ = now.nanoseconds;
}

}  // namespace stretto::trace
