#pragma once

#include <chrono>
#include <vector>

#include <stretto/base/call_site.h>

#include "base/mutex.h"
#include "base/thread.h"

namespace stretto {

class Scheduler;

/// `STRETTO_WATCHDOG=SECONDS`: when tasks are pending and none has ended for so long, a thread writes to standard error
/// what waits for what, once for each time that nothing moves.
class Watchdog {
 public:
  /// A thread of the program that waits for many tasks while this lives. Nothing where there is no watchdog.
  class Waiting {
   public:
    Waiting(Watchdog* watchdog, const char* what, CallSite site = {});
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting();

   private:
    friend class Watchdog;
    Watchdog* const watchdog_;
    const char* const what_;
    const CallSite site_;
  };

  /// Starts the thread. `scheduler` must outlive it.
  Watchdog(Scheduler& scheduler, std::chrono::nanoseconds patience);

  /// Ends the thread, for the end of the process.
  void stop();
  /// In the child after a fork, which has no such thread.
  void reset_after_fork() STRETTO_NO_THREAD_SAFETY_ANALYSIS;

 private:
  void watch();
  void tell();

  Scheduler& scheduler_;
  const std::chrono::nanoseconds patience_;
  Mutex mutex_;
  ConditionVariable stopped_;
  bool stopping_ STRETTO_GUARDED_BY(mutex_) = false;
  std::vector<const Waiting*> waiting_ STRETTO_GUARDED_BY(mutex_);
  Thread thread_;
};

}  // namespace stretto
