#pragma once

#include <atomic>
#include <cstdint>

#include "base/mutex.h"
#include "base/thread.h"

namespace stretto {

class Repeats;
class Scheduler;

/// A thread that has `Repeats` release what is held while its submitter does something else. It sleeps until there is
/// something to watch for.
class IdleWatch {
 public:
  IdleWatch(Repeats& repeats, Scheduler& scheduler) : repeats_(repeats), scheduler_(scheduler) {}

  /// Something is about to be held. False where there is no thread to watch it.
  bool begin();
  /// One more submission is held. By one thread at a time.
  void note_held() { held_.store(held_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  /// Ends the thread, for good.
  void stop();
  void before_fork() STRETTO_NO_THREAD_SAFETY_ANALYSIS { mutex_.lock(); }
  void after_fork(bool in_child) STRETTO_NO_THREAD_SAFETY_ANALYSIS;

 private:
  void watch();

  Repeats& repeats_;
  Scheduler& scheduler_;
  std::atomic<std::uint64_t> held_{0};  ///< Submissions that were, ever.
  Mutex mutex_;
  ConditionVariable changed_;
  std::atomic<bool> asleep_{false};
  std::atomic<bool> begun_{false};
  bool stopping_ STRETTO_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace stretto
