#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/thread_annotations.h"

namespace stretto {

/// `std::mutex` that clang's analysis can follow. Not recursive.
class STRETTO_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  /// Blocks until the lock is free.
  void lock() STRETTO_ACQUIRE() { mutex_.lock(); }
  void unlock() STRETTO_RELEASE() { mutex_.unlock(); }
  /// Takes the lock if it is free and says whether it did; never blocks.
  bool try_lock() STRETTO_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

/// Holds a Mutex while it lives, except between `unlock()` and `lock()`.
class STRETTO_SCOPED_CAPABILITY MutexLock {
 public:
  /// Blocks until the lock is free.
  explicit MutexLock(Mutex& mutex) STRETTO_ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  ~MutexLock() STRETTO_RELEASE() {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  /// Takes the lock again after `unlock()`. Blocks until it is free.
  void lock() STRETTO_ACQUIRE() { lock_.lock(); }
  /// Releases the lock early.
  void unlock() STRETTO_RELEASE() { lock_.unlock(); }

 private:
  friend class ConditionVariable;
  std::unique_lock<std::mutex> lock_;
};

/// `std::condition_variable` for a Mutex. There are no overloads that take a predicate, because the analysis cannot see
/// that the lock is held inside one: write the loop, `while (!ready_) changed_.wait(lock);`.
class ConditionVariable {
 public:
  ConditionVariable() = default;
  ConditionVariable(const ConditionVariable&) = delete;
  ConditionVariable& operator=(const ConditionVariable&) = delete;

  /// Releases the lock, blocks until notified (or for no reason), and holds the lock again on return.
  void wait(MutexLock& lock) { condition_.wait(lock.lock_); }

  /// As `wait`, but gives up at the deadline. Returns false when the deadline passed.
  template <typename Clock, typename Duration>
  bool wait_until(MutexLock& lock, const std::chrono::time_point<Clock, Duration>& deadline) {
    return condition_.wait_until(lock.lock_, deadline) == std::cv_status::no_timeout;
  }

  /// As `wait`, but gives up after the time. Returns false when the time passed.
  template <typename Rep, typename Period>
  bool wait_for(MutexLock& lock, const std::chrono::duration<Rep, Period>& time) {
    return condition_.wait_for(lock.lock_, time) == std::cv_status::no_timeout;
  }

  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace stretto
