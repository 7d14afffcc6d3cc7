#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "base/thread_control.h"

namespace stretto {

/// `std::thread` whose turns ThreadControl decides where that is active.
class Thread {
 public:
  Thread() = default;
  /// Throws Error where the system starts no more threads.
  explicit Thread(std::function<void()> body);

  bool joinable() const { return thread_.joinable(); }
  /// Blocks until the thread has ended.
  void join();

 private:
  std::shared_ptr<ThreadControl::Participant> participant_;
  std::thread thread_;
};

/// Nanoseconds from some moment on: the steady clock, or ThreadControl's.
std::int64_t nanoseconds_now();
void sleep_for(std::chrono::nanoseconds time);

inline void yield() {
  if (ThreadControl::active()) [[unlikely]] {
    ThreadControl::yield();
  } else {
    std::this_thread::yield();
  }
}

/// So many pauses of a processor that polls, 20 to 60 ns each on recent x86.
inline void pause(int count = 1) {
  constexpr std::int64_t nanoseconds = 40;
  if (ThreadControl::active()) [[unlikely]] {
    ThreadControl::sleep(count * nanoseconds);
    return;
  }
  for (int i = 0; i < count; ++i) __builtin_ia32_pause();
}

/// A steady clock that ThreadControl can count in place of the system's.
struct SteadyClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<SteadyClock>;
  static constexpr bool is_steady = true;
  static time_point now() { return time_point(duration(nanoseconds_now())); }
};

}  // namespace stretto
