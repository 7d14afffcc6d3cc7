#pragma once

#include <chrono>

#include "base/thread.h"

namespace stretto {

/// Threads and time of simulated devices: nothing else in this folder asks the host for either.

using SimThread = Thread;

/// A moment, or how long something takes.
using SimTime = std::chrono::nanoseconds;

inline SimTime sim_now() { return SimTime(nanoseconds_now()); }

/// Moments nearer than this are not slept for where time is the system's: a sleep overshoots by more. What comes later
/// makes up for it.
inline constexpr SimTime sim_least_sleep = std::chrono::microseconds(20);

inline void sim_sleep_until(SimTime moment) {
  const SimTime left = moment - sim_now();
  if (left > (ThreadControl::active() ? SimTime(0) : sim_least_sleep)) sleep_for(left);
}

inline void sim_yield() { yield(); }

}  // namespace stretto
