#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "backend/lane.h"
#include "backends/sim/sim_event.h"
#include "base/mutex.h"

namespace stretto {

/// What one simulated lane has to do, and the host thread that does it strictly in order. The thread starts with the
/// first command and sleeps when there is none.
///
/// A command is performed by `perform` alone, which knows nothing of threads: that is where a scheduler with a time of
/// its own would take over.
class SimQueue {
 public:
  /// With a seed, the queue dawdles now and then, by times drawn from the seed.
  explicit SimQueue(std::optional<std::uint64_t> delay_seed);
  ~SimQueue() { join(); }

  /// The calls of a Lane.
  void issue(Work& work, Executor& executor);
  Event* record();
  void wait(SimEvent& event);

  /// Puts an event that nobody holds back into store. Any thread.
  void recycle(SimEvent& event);
  /// Makes the thread look again at what it waits for. Any thread.
  void wake();

  /// Asks the thread to end after the command it is at; what is queued is dropped, its events never complete.
  void begin_stop();
  /// Blocks until the thread has ended, after `begin_stop`.
  void join();

 private:
  /// Work with its executor, an event to finish, or an event to wait for.
  struct Command {
    Work* work = nullptr;
    Executor* executor = nullptr;
    SimEvent* finished = nullptr;
    SimEvent* awaited = nullptr;
  };

  void push(const Command& command);
  void run();
  bool take(std::vector<Command>& batch);
  void perform(const Command& command);
  void execute(Work& work, Executor& executor);
  void block_until_complete(SimEvent& event);
  void dawdle();
  SimEvent& fresh_event();

  std::atomic<bool> stopping_{false};
  std::atomic<std::int64_t> unfinished_{0};  ///< Commands pushed and not performed.
  std::atomic<bool> has_incoming_{false};
  std::optional<std::mt19937_64> delays_;  ///< Used by the thread alone.

  Mutex mutex_;
  ConditionVariable changed_;
  std::vector<Command> incoming_ STRETTO_GUARDED_BY(mutex_);
  std::thread thread_ STRETTO_GUARDED_BY(mutex_);

  Mutex events_mutex_;
  std::deque<SimEvent> events_ STRETTO_GUARDED_BY(events_mutex_);
  std::vector<SimEvent*> unused_events_ STRETTO_GUARDED_BY(events_mutex_);
};

}  // namespace stretto
