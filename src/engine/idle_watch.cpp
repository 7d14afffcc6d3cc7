#include "engine/idle_watch.h"

#include <chrono>
#include <new>
#include <string>

#include <stretto/base/error.h>

#include "base/log.h"
#include "engine/repeats.h"
#include "engine/scheduler.h"

namespace stretto {
namespace {

constexpr std::chrono::milliseconds nap{1};
// While the devices have something to do, what is held may wait longer.
constexpr int naps_of_busy = 20;
// Without anything held for so long it sleeps until it is woken.
constexpr int naps_until_sleep = 20;

}  // namespace

bool IdleWatch::begin() {
  if (begun_.load(std::memory_order_acquire)) {
    if (!asleep_.load(std::memory_order_relaxed)) return true;
    const MutexLock lock(mutex_);
    asleep_.store(false, std::memory_order_relaxed);
    changed_.notify_all();
    return true;
  }
  const MutexLock lock(mutex_);
  if (stopping_) return false;
  if (begun_.load(std::memory_order_relaxed)) return true;
  try {
    thread_ = Thread([this] { watch(); });
  } catch (const Error& error) {
    // Nothing is lost but time.
    if (log_enabled(LogLevel::info))
      log(LogLevel::info, std::string("what repeats is not replayed: ") + error.message());
    return false;
  }
  begun_.store(true, std::memory_order_release);
  return true;
}

void IdleWatch::watch() {
  std::uint64_t seen = 0;
  int still = 0;
  int without = 0;
  MutexLock lock(mutex_);
  while (!stopping_) {
    if (without == naps_until_sleep) {
      asleep_.store(true, std::memory_order_relaxed);
      while (asleep_.load(std::memory_order_relaxed) && !stopping_) changed_.wait(lock);
      without = 0;
      continue;
    }
    changed_.wait_for(lock, nap);
    const bool holds = repeats_.holds();
    without = holds ? 0 : without + 1;
    const std::uint64_t held = held_.load(std::memory_order_relaxed);
    still = holds && held == seen ? still + 1 : 0;
    seen = held;
    if (still == 0 || (still < naps_of_busy && scheduler_.count().pending() > 0)) continue;
    lock.unlock();
    repeats_.release_idle();
    lock.lock();
    still = 0;
  }
}

void IdleWatch::stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void IdleWatch::after_fork(bool in_child) {
  mutex_.unlock();
  if (!in_child) return;
  new (&changed_) ConditionVariable;
  new (&thread_) Thread;
  begun_ = false;
  asleep_ = false;
}

}  // namespace stretto
