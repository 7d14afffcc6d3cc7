#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/mutex.h"
#include "engine/idle_watch.h"
#include "engine/repeating_thread.h"
#include "engine/thread_state.h"

namespace stretto {

class Scheduler;

/// Finds what the program submits again and again, holds it back until a section of it is complete, and submits that as
/// a replay. Whatever looks at the state of things meanwhile has what is held submitted first, task by task.
///
/// One thread of the program at a time has its submissions held, the one that alone submits. A thread beside them
/// releases what is held while its submitter does something else.
class Repeats {
 public:
  explicit Repeats(Scheduler& scheduler) : scheduler_(scheduler), watch_(*this, scheduler) {}

  /// Outside of tasks: takes a task that has its body, and nothing else yet, to be submitted later, in its order. False
  /// where the caller has to record it now.
  bool take(ThreadState& me, Task& task, const Submission& submission) {
    RepeatingThread* const own = me.repeating;
    if (own != nullptr && own->search_time.rests() && submitter_.load(std::memory_order_relaxed) == own) return false;
    return search(me, task, submission);
  }
  /// The calling thread is about to wait, to look, or to do something that comes after all that was submitted before.
  void interrupt();
  /// The same for a thread that is inside a task: what others hold is submitted.
  void interrupt_others() {
    if (holds()) [[unlikely]]
      release(nullptr);
  }
  /// Whether the calling thread's repeats are looked for; they are from the start. What came before is forgotten.
  /// Returns what was set before.
  bool look_for(bool on);
  /// Whether anything is held.
  bool holds() const { return holder_.load(std::memory_order_acquire) != nullptr; }
  /// What is held is submitted, since its submitter does something else.
  void release_idle();
  /// Memory is short: gives back what replays keep. True where that was anything.
  bool give_back();

  struct Statistics {
    std::uint64_t replays = 0;   ///< Sections that were replayed.
    std::uint64_t tasks = 0;     ///< Of those sections together.
    std::uint64_t launched = 0;  ///< Of the sections: launched in one go, as they were recorded.
    std::uint64_t recorded = 0;  ///< Sections of which a template was made.
    std::uint64_t left = 0;      ///< Sections whose beginning was held, and then submitted task by task.
  };
  Statistics statistics() const;
  /// By a launcher: a section was launched in one go.
  void note_launched() { launched_.fetch_add(1, std::memory_order_relaxed); }

  /// The calling thread ends.
  void end_thread(RepeatingThread& thread);
  /// From here on nothing is held. Ends the thread.
  void stop();
  void before_fork() STRETTO_NO_THREAD_SAFETY_ANALYSIS;
  void after_fork(bool in_child) STRETTO_NO_THREAD_SAFETY_ANALYSIS;

 private:
  RepeatingThread* thread(ThreadState& me);
  /// Not part of its caller, which most programs pass without it: they would pay for its registers.
  [[gnu::noinline]] bool search(ThreadState& me, Task& task, const Submission& submission);
  void change_submitter(RepeatingThread& own);
  void expect_more(RepeatingThread& own);
  bool begin(RepeatingThread& own, Task& task, const Submission& submission);
  bool hold(RepeatingThread& own, Task& task, const Submission& submission);
  /// A section was replayed.
  void succeed(RepeatingThread& own);
  /// All that the thread holds is submitted.
  void leave(RepeatingThread& own);
  void finish(RepeatingThread& own);
  /// How long what is complete waits for a replay that is pending, when so many tasks are.
  static std::chrono::microseconds patience(const RepeatingThread& own, std::uint64_t pending) STRETTO_REQUIRES(mutex_);
  void complete(RepeatingThread& own) STRETTO_REQUIRES(mutex_);
  /// False where it has to wait for a replay that is pending. Otherwise nothing is held any more.
  bool submit_section(RepeatingThread& own) STRETTO_REQUIRES(mutex_);
  void submit_plainly(RepeatingThread& own) STRETTO_REQUIRES(mutex_);
  /// Of tasks in whose place something else runs.
  void drop_bodies(RepeatingThread& own) STRETTO_REQUIRES(mutex_);
  void end_section(RepeatingThread& own, RepeatingThread::State state) STRETTO_REQUIRES(mutex_);
  /// What a thread holds is submitted, unless it is `own`.
  void release(const RepeatingThread* own);
  /// Lets go of the buffers that were held, without the lock.
  void drop(MutexLock& lock) STRETTO_REQUIRES(mutex_);

  Scheduler& scheduler_;
  /// Who submitted last.
  std::atomic<RepeatingThread*> submitter_{nullptr};
  /// Whose submissions are held.
  std::atomic<RepeatingThread*> holder_{nullptr};
  /// Held while submissions are held, or submitted after all; before the recording lock.
  Mutex mutex_;
  bool stopped_ STRETTO_GUARDED_BY(mutex_) = false;
  std::vector<RepeatingThread*> threads_ STRETTO_GUARDED_BY(mutex_);  ///< All of them.
  /// Buffers whose references are to go once the lock is free: what their owners do then is the program's.
  std::vector<BufferReference> dropped_ STRETTO_GUARDED_BY(mutex_);

  std::atomic<std::uint64_t> replays_{0}, tasks_{0}, launched_{0}, recorded_{0}, left_{0};
  IdleWatch watch_;
};

}  // namespace stretto
