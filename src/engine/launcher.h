#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/mutex.h"
#include "base/ring_queue.h"
#include "base/thread.h"
#include "engine/estimated_times.h"
#include "engine/memory_wait.h"
#include "engine/ready_tasks.h"
#include "engine/segment_preparer.h"
#include "engine/task.h"
#include "ordering/clock.h"
#include "trace/edge_counter.h"
#include "trace/recording.h"

namespace stretto {

class LaneReplay;
class Scheduler;
struct EngineDevice;

/// Issues the tasks of one device with in-order lanes, and retires them when their events are complete: a thread for
/// each.
///
/// A task is issued as soon as its predecessors are issued; the device does the waiting. A wait is recorded only for a
/// point that the lane's clock does not dominate yet, on the event directly behind that point's task, and then the
/// clock of that point is merged.
class Launcher {
 public:
  Launcher(Scheduler& scheduler, EngineDevice& device);
  ~Launcher();

  /// Starts the threads, unless they run. Before the first `push`; throws Error where the system starts no more.
  void start();
  /// Appends a task that is ready to be issued. From any thread; does not block.
  void push(Task& task);
  /// Issues a task and waits for its end, on the calling thread: the serial engine.
  void run_to_end(Task& task);
  /// Tasks pushed and not yet retired.
  int pending() const { return pending_.load(std::memory_order_acquire); }
  /// Tasks issued and not yet retired.
  int in_flight() const { return in_flight_.load(std::memory_order_acquire); }
  /// Whether any of those pushed does more than wait for memory.
  bool has_more_than_blocked() const {
    return pending_.load(std::memory_order_seq_cst) > blocked_count_.load(std::memory_order_seq_cst);
  }
  /// Whether this is a child, to which the device is lost.
  bool forked() const { return forked_.load(std::memory_order_relaxed); }
  /// How many streams compute.
  int stream_count() const { return static_cast<int>(lanes_[static_cast<std::size_t>(LaneRole::compute)].size()); }
  /// Waits recorded between lanes so far, for tests.
  std::uint64_t waits_recorded() const { return waits_.load(std::memory_order_relaxed); }
  /// A replay has something recorded, which is given back where memory is short; and has no more. Any thread.
  void add_recorded(LaneReplay& replay);
  void remove_recorded(LaneReplay& replay);
  /// Replays launched so far as they were recorded, for tests.
  std::uint64_t recorded_launches() const { return recorded_launches_.load(std::memory_order_relaxed); }
  /// Ends the threads. What was not issued stays so.
  void stop();
  /// In the child after a fork: the device is lost to it.
  void reset_after_fork() STRETTO_NO_THREAD_SAFETY_ANALYSIS;

 private:
  /// So many tasks are taken out of a lane at a time when they retire, and so many are issued between two looks at what
  /// they left behind: each is a turn at the lane's lock.
  static constexpr int most_at_once = 16;

  struct alignas(64) Issued {
    Task* task = nullptr;
    Event* event = nullptr;
    Point point;
    std::shared_ptr<Clock> clock;  ///< Shared with its neighbours; changes no more.
    std::int64_t traced_from = 0;  ///< When it was issued, while a timeline is recorded; otherwise `no_time`.
  };
  /// Laid out by who writes: the issuing thread, both, and the retiring one.
  struct LaneState {
    LaneState(Lane& one, Device owner, const std::string& name)
        : lane(one), id(one.id()), device(owner), track(trace::make_track(name)) {}
    Lane& lane;
    const LaneId id;
    const Device device;
    Clock clock;  ///< What the lane is known to have waited for.
    /// The same as tasks that were issued keep it, made anew after waits. Of its own lane it may know less than the
    /// task's point does.
    std::shared_ptr<Clock> kept_clock;
    std::uint64_t last_sequence = 0;
    std::uint64_t seen_done = 0;  ///< Tasks up to this number had retired when somebody looked.
    const trace::Track track;
    bool keeps_times = false;
    // What retired tasks left behind, on its way back, and clocks that nobody keeps any more.
    std::vector<Event*> released_events;
    std::vector<std::shared_ptr<Clock>> released_clocks;
    std::vector<std::shared_ptr<Clock>> spare_clocks;

    alignas(64) Mutex mutex;
    RingQueue<Issued> issued STRETTO_GUARDED_BY(mutex);
    std::vector<Event*> retired_events STRETTO_GUARDED_BY(mutex);
    std::vector<std::shared_ptr<Clock>> retired_clocks STRETTO_GUARDED_BY(mutex);
    /// Of tasks up to this number the successors know the points: only they may retire.
    std::atomic<std::uint64_t> announced{0};
    std::atomic<int> load{0};

    alignas(64) std::uint64_t retired_until = 0;
    std::uint64_t done_until = 0;   ///< What is known to be done without asking again.
    std::int64_t traced_until = 0;  ///< The end of the last slice.
  };

  void issue_loop();
  // Retiring; see retiring.cpp.
  /// Before anybody can fork.
  static void prepare_retiring();
  void retire_loop();
  void forget_failed_points();
  /// Waits for something to do. False when the thread is to end.
  bool collect();
  bool try_issue(Task& task);
  void issue(Task& task, LaneState& lane, const PointSet& memory_waits);
  void append(Task& task, LaneState& lane, Point point, Event* event, std::int64_t traced_from);
  // The choice of a lane; see lane_choice.cpp.
  LaneState& choose_lane(const Task& task);
  void look_at_loads(const std::vector<std::unique_ptr<LaneState>>& lanes);
  void follow(LaneState& lane, Point point, trace::Hazards hazards);
  bool wait_for(LaneState& lane, Point point);
  void wait_for_everything(LaneState& lane);
  /// Retires tasks at the lane's front that are done, so many at most. Returns how many.
  int retire_front(LaneState& lane, int most);
  struct Retired {
    Task* task;
    Point point;
    std::exception_ptr found_on_device;
    TracedWork traced;

    bool is_traced() const { return traced.issued != trace::no_time; }
  };
  void retire(const Retired& retired, LaneState& lane);
  void take_back(LaneState& lane);
  // Nodes of replays; see launcher_nodes.cpp.
  LaneState& stream(const LaneState& first, std::uint32_t number);
  Event* issue_replay(LaneReplay& replay, LaneState& lane, Point point);
  void issue_nodes(LaneReplay& replay, LaneState& first);
  bool launch_recorded(LaneReplay& replay, LaneState& first, Point point);
  void record_nodes(LaneReplay& replay);
  void forget_recorded();
  std::exception_ptr take_marked(LaneReplay& replay, LaneState& first);
  static std::span<Task* const> holds_of(const Task& task);
  // What a timeline is told; see launcher_trace.cpp.
  static std::string track_name(Device device, LaneRole role, std::size_t number);
  std::int64_t trace_issue(const Task& task, LaneState& lane, const PointSet& memory_waits);
  static std::int64_t next_begin(LaneState& lane);
  static void estimate_times(std::span<Retired> retired, LaneState& lane);
  void trace_retirement(const Retired& retired, LaneState& lane);
  void keep_clock(LaneState& lane);
  static bool is_front_done(LaneState& lane);
  void complete(Task& task);
  void retry_blocked(MemoryWait& memory);
  void fail_first_blocked();
  bool fail_if_forked(Task& task);
  void fail_for_loss(Task& task, const std::string& why);
  std::string describe_loss(const Task& task, const std::string& why);
  /// Calls `function(point, flags)` for the points of in-order predecessors.
  template <typename Function>
  static void for_each_own_point(const Task& task, Function function) {
    for_each_link(task, [&](const Link& link) {
      if (const Point point = point_of(link)) function(point, link.bits & point_flags);
    });
  }
  /// The same, with those of the ports where the task is that of a replay.
  template <typename Function>
  static void for_each_point(const Task& task, Function function) {
    for_each_own_point(task, function);
    if (!task.is_replay()) [[likely]]
      return;
    for (const Task* const hold : holds_of(task)) for_each_own_point(*hold, function);
  }

  static std::array<std::atomic<LaneState*>, max_lanes> all_lanes_;

  Scheduler& scheduler_;
  EngineDevice& device_;
  std::array<std::vector<std::unique_ptr<LaneState>>, lane_role_count> lanes_;
  std::atomic<std::uint64_t> waits_{0};
  std::atomic<std::uint64_t> recorded_launches_{0};
  std::atomic<bool> forked_{false};  ///< This is a child: the device is the parent's.

  alignas(64) std::atomic<int> pending_{0};
  Mutex mutex_;
  ConditionVariable pushed_;
  std::vector<ReadyTask> inbox_ STRETTO_GUARDED_BY(mutex_);
  std::atomic<bool> has_mail_{false};  ///< Something is in the inbox.
  Mutex starting_;
  bool started_ STRETTO_GUARDED_BY(starting_) = false;
  std::atomic<bool> stopping_{false};

  // Only the issuing thread.
  alignas(64) ReadyTasks ready_;
  std::vector<ReadyTask> mail_;
  std::uint64_t choices_until_look_ = 0;
  std::map<std::uint64_t, Task*> blocked_;  ///< Wait for memory, by sequence.
  std::atomic<int> blocked_count_{0};       ///< The same, for other threads.
  /// Of each recorder: the last replay that was launched and uses its memory.
  std::array<Point, recorder_count> launched_of_recorder_;
  SegmentPreparer preparer_;
  Mutex recorded_mutex_;
  std::vector<LaneReplay*> recorded_ STRETTO_GUARDED_BY(recorded_mutex_);
  /// The launcher whose issuing thread the calling thread is.
  static thread_local Launcher* issuing_here_;

  Mutex loss_mutex_;
  std::string loss_ STRETTO_GUARDED_BY(loss_mutex_);  ///< What failures say once the device is lost.

  Mutex retire_mutex_;
  ConditionVariable issued_any_;
  alignas(64) std::atomic<int> in_flight_{0};
  std::atomic<bool> retiring_stops_{false};
  Thread issuer_;
  Thread retirer_;
};

}  // namespace stretto
