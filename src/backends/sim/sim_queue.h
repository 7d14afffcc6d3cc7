#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <vector>

#include "backend/lane.h"
#include "backends/sim/sim_context.h"
#include "backends/sim/sim_delays.h"
#include "backends/sim/sim_event.h"
#include "base/mutex.h"

namespace stretto {

/// What one simulated lane has to do, and the host thread that does it strictly in order. The thread starts with the
/// first command and sleeps when there is none.
///
/// It keeps the device's time: a command begins when the one before it has ended, what it waits for has happened and it
/// was issued, and takes as long as the model says, or as the host needs if that is longer. The thread sleeps until
/// then. Being woken late delays nothing: the next command counts from the moment, not from the waking.
class SimQueue {
 public:
  /// With a seed, the queue dawdles now and then, by times drawn from the seed.
  SimQueue(SimMachine& machine, SimDevice& device, LaneRole role, std::optional<std::uint64_t> delay_seed);
  ~SimQueue() { join(); }

  /// The calls of a Lane.
  void issue(Work& work, Executor& executor);
  Event* record();
  void wait(SimEvent& event);

  /// Puts an event that nobody holds back into store. Any thread.
  void recycle(SimEvent& event);
  /// Makes the thread look again at what it waits for. Any thread.
  void wake();
  /// What to say of work that the lane dropped because its device is lost.
  std::exception_ptr loss() const;

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
    SimTime issued{0};
  };

  void push(const Command& command);
  void start() STRETTO_REQUIRES(mutex_);
  void run();
  bool finish(const Command& command);
  bool take(std::vector<Command>& batch);
  void perform(const Command& command);
  void carry_out(const Command& command);
  void execute(Work& work, Executor& executor);
  void block_until_complete(SimEvent& event);
  SimEvent& fresh_event();

  SimDevice& device_;
  SimContext context_;  ///< Used by the thread alone, but for its end.
  SimTime moment_{0};   ///< Until when the lane is busy. Used by the thread alone while there are commands.
  std::optional<WorkTimes> last_work_;  ///< As `moment_`.

  std::atomic<bool> stopping_{false};
  std::atomic<bool> dropped_{false};  ///< Some work was not done, or not known to be, because the device is lost.
  std::atomic<std::int64_t> unfinished_{0};  ///< Commands pushed and not performed.
  std::atomic<bool> has_incoming_{false};
  SimDelays delays_;

  Mutex mutex_;
  ConditionVariable changed_;
  std::vector<Command> incoming_ STRETTO_GUARDED_BY(mutex_);
  SimThread thread_ STRETTO_GUARDED_BY(mutex_);
  bool has_no_thread_ STRETTO_GUARDED_BY(mutex_) = false;  ///< Whoever issues does what there is to do.

  Mutex events_mutex_;
  std::deque<SimEvent> events_ STRETTO_GUARDED_BY(events_mutex_);
  std::vector<SimEvent*> unused_events_ STRETTO_GUARDED_BY(events_mutex_);
};

}  // namespace stretto
