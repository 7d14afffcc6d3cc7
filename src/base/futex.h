#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <ctime>

#include "base/thread_control.h"

namespace stretto {

/// Sleeps while `word` holds `expected`, at most for `limit`; wakes up for no reason now and then. What
/// std::atomic::wait does, with a limit and without spinning first.
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::chrono::nanoseconds limit) {
  if (ThreadControl::active()) [[unlikely]] {
    ThreadControl::step();
    if (word.load() == expected) ThreadControl::wait(&word, ThreadControl::now() + limit.count());
    return;
  }
  timespec time{};
  time.tv_sec = limit.count() / 1000000000;
  time.tv_nsec = limit.count() % 1000000000;
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, expected, &time, nullptr, 0);
}
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) {
  if (ThreadControl::active()) [[unlikely]] {
    ThreadControl::step();
    if (word.load() == expected) ThreadControl::wait(&word);
    return;
  }
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}
inline void futex_wake(std::atomic<std::uint32_t>& word, int threads = 1) {
  if (ThreadControl::active()) [[unlikely]] {
    ThreadControl::wake(&word, threads);
    ThreadControl::step();
    return;
  }
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

}  // namespace stretto
