#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/thread_annotations.h"
#include "base/thread_control.h"

namespace stretto {

/// `std::mutex` that clang's analysis can follow. Not recursive.
class STRETTO_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  /// Blocks until the lock is free.
  void lock() STRETTO_ACQUIRE() {
    if (ThreadControl::active()) [[unlikely]] {
      ThreadControl::step();
      while (!mutex_.try_lock()) ThreadControl::wait(this);
    } else {
      mutex_.lock();
    }
  }
  void unlock() STRETTO_RELEASE() {
    mutex_.unlock();
    if (ThreadControl::active()) [[unlikely]]
      ThreadControl::wake(this);
  }
  /// Takes the lock if it is free and says whether it did; never blocks.
  bool try_lock() STRETTO_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class ConditionVariable;
  std::mutex mutex_;
};

/// Holds a Mutex while it lives, except between `unlock()` and `lock()`.
class STRETTO_SCOPED_CAPABILITY MutexLock {
 public:
  /// Blocks until the lock is free.
  explicit MutexLock(Mutex& mutex) STRETTO_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() STRETTO_RELEASE() {
    if (held_) mutex_.unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  /// Takes the lock again after `unlock()`. Blocks until it is free.
  void lock() STRETTO_ACQUIRE() {
    mutex_.lock();
    held_ = true;
  }
  /// Releases the lock early.
  void unlock() STRETTO_RELEASE() {
    held_ = false;
    mutex_.unlock();
  }

 private:
  friend class ConditionVariable;
  Mutex& mutex_;
  bool held_ = true;
};

/// `std::condition_variable` for a Mutex. There are no overloads that take a predicate, because the analysis cannot see
/// that the lock is held inside one: write the loop, `while (!ready_) changed_.wait(lock);`.
class ConditionVariable {
 public:
  ConditionVariable() = default;
  ConditionVariable(const ConditionVariable&) = delete;
  ConditionVariable& operator=(const ConditionVariable&) = delete;

  /// Releases the lock, blocks until notified (or for no reason), and holds the lock again on return.
  void wait(MutexLock& lock) {
    if (ThreadControl::active()) [[unlikely]] {
      wait_under_control(lock.mutex_, ThreadControl::no_deadline);
    } else {
      NativeLock native(lock.mutex_.mutex_);
      condition_.wait(native.lock);
    }
  }

  /// As `wait`, but gives up after the time. Returns false when the time passed.
  template <typename Rep, typename Period>
  bool wait_for(MutexLock& lock, const std::chrono::duration<Rep, Period>& time) {
    if (ThreadControl::active()) [[unlikely]] {
      const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
      return wait_under_control(lock.mutex_, ThreadControl::now() + nanoseconds);
    }
    NativeLock native(lock.mutex_.mutex_);
    return condition_.wait_for(native.lock, time) == std::cv_status::no_timeout;
  }

  void notify_one() {
    condition_.notify_one();
    if (ThreadControl::active()) [[unlikely]]
      ThreadControl::wake(this, 1);
  }
  void notify_all() {
    condition_.notify_all();
    if (ThreadControl::active()) [[unlikely]]
      ThreadControl::wake(this);
  }

 private:
  /// The lock that the caller holds, in the form that the condition wants.
  struct NativeLock {
    explicit NativeLock(std::mutex& mutex) : lock(mutex, std::adopt_lock) {}
    ~NativeLock() { lock.release(); }
    std::unique_lock<std::mutex> lock;
  };

  bool wait_under_control(Mutex& mutex, std::int64_t deadline) STRETTO_NO_THREAD_SAFETY_ANALYSIS {
    mutex.unlock();  // nobody else goes on before the wait
    const bool woken = ThreadControl::wait(this, deadline);
    mutex.lock();
    return woken;
  }

  std::condition_variable condition_;
};

}  // namespace stretto
