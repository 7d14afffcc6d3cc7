#pragma once

#include <chrono>
#include <thread>

namespace stretto {

/// Threads and time of simulated devices: nothing else in this folder asks the host for either.

using SimThread = std::thread;

/// A moment, or how long something takes.
using SimTime = std::chrono::nanoseconds;

inline SimTime sim_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

/// Moments nearer than this are not slept for: a sleep overshoots by more. What comes later makes up for it.
inline constexpr SimTime sim_least_sleep = std::chrono::microseconds(20);

inline void sim_sleep_until(SimTime moment) {
  if (moment - sim_now() > sim_least_sleep)
    std::this_thread::sleep_until(std::chrono::steady_clock::time_point(moment));
}

inline void sim_yield() { std::this_thread::yield(); }

}  // namespace stretto
