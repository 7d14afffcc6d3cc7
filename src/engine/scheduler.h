#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "backend/lane.h"
#include "base/mutex.h"
#include "engine/devices.h"
#include "engine/failure_book.h"
#include "engine/memory_wait.h"
#include "engine/pending_count.h"
#include "engine/submission.h"
#include "engine/task_slab.h"
#include "engine/thread_state.h"

namespace stretto {

class AccessCheck;
class Repeats;
class Watchdog;

/// The machinery behind `Engine`: records tasks, sends ready ones to their lanes, and lets successors go.
///
/// A task passes through: recorded (under the recording lock: its edges come from the access logs) - ready (no
/// predecessor left) - queued on a worker lane, or issued to an in-order lane - complete (successors are released, its
/// slot is recycled). Tasks of kind join, release, wait and hold have no body and no lane: whoever makes them ready
/// carries them out on the spot.
class Scheduler final : public Executor {
 public:
  Scheduler();

  // Recording; see recorder.h.
  SpinLock& recording() STRETTO_RETURN_CAPABILITY(recording_) { return recording_; }
  TaskSlab& slab() { return slab_; }
  PendingCount& count() { return count_; }
  DeviceTable& devices() { return devices_; }
  FailureBook& failures() { return failures_; }
  ThreadState& thread() { return ThreadState::current(slab_, count_); }
  /// Whoever learns here that threads have ended at exit, and goes on in their place, sees what they left.
  bool serial() const { return serial_.load(std::memory_order_acquire); }
  /// Null where nobody checks what tasks touch.
  AccessCheck* access_check() const { return access_check_; }
  /// Null where what repeats is not looked for.
  Repeats* repeats() const { return repeats_; }
  /// Null where nobody watches whether tasks end.
  Watchdog* watchdog() const { return watchdog_; }

  // Executor.
  Work* run(Work& work, KernelContext& context) override;
  void expect(const Work& work) override;
  Work& put_back(Work& work) override;
  void execute(Work& work, KernelContext& context) override;
  void drop(Work& work) override;
  bool run_urgent(KernelContext& context) override;
  void idle() override;
  const char* name(const Work& work) const override { return static_cast<const Task&>(work).name; }
  bool awaited() const override { return blocked_.load(std::memory_order_relaxed) > 0; }

  /// Sends a task whose last predecessor has gone to where it runs. In serial mode runs it here and now.
  void dispatch(Task& task);
  /// Carries out a task without a lane.
  void carry_out(Task& task);
  /// A task is complete: passes on failures, releases successors, recycles the slot. Returns a ready successor for
  /// `lane`, to be run next by the caller, or null; `lane` null: all ready successors are dispatched.
  Work* complete(Task& task, WorkerLane* lane);
  /// An in-order task was issued at `point`: lets those go that only wait for that.
  void issued(Task& task, Point point);

  /// The task will not do its work, or did not. Keeps the earliest failure.
  void fail(Task& task, const FailureReference& failure);
  /// The exception being handled, as a new root failure of `task`. Noted for `wait_all` when the task completes with
  /// it.
  FailureReference current_failure(const Task& task);
  /// The failure of a task that may complete at this moment, or null.
  FailureReference failure_of(const Task& task);

  // Memory; see memory_binding.cpp.
  /// Binds memory to what `task` accesses and has none. Adds to `waits` what must be done before the memory is touched.
  /// False when the device has no memory at this moment; what was bound stays bound.
  bool try_bind_memory(Task& task, LaneId lane, PointSet& waits);
  /// Binds one buffer of the task, which is alone with it, to this address, if that is free; otherwise leaves it.
  void try_bind_at(Buffer& buffer, std::byte* address, const Task& task);
  /// For a worker that is about to run `task`: the task to run instead, with memory bound: `task` itself, an earlier
  /// one that found memory before it, or null when `task` has to wait and something else should be run. A task for
  /// which nothing is left that could give memory has failed.
  Task* bind_or_park(Task& task);
  /// For tasks that must run here and now: waits until memory comes back, or the task has failed.
  void bind_memory(Task& task);
  /// The task will bind nothing any more.
  void forget_allocations(Task& task);
  /// The task fails because nothing is left that could give it memory.
  void fail_for_memory(Task& task);
  /// Memory is short: what replays keep that nobody asked for goes. False where there is none.
  bool give_back_repeats();
  MemoryWaiters& memory_waiters() { return memory_waiters_; }
  /// Whether any thread or device is at work or about to be, so that memory may come back. Who waits for memory, or
  /// inside a task for another, is not; nor are the threads of the program: what a statement of theirs needs was
  /// submitted before it.
  bool anything_moves();
  /// Whether the buffer has memory that can be used at once.
  static bool is_bound(const Buffer& buffer);
  /// Binds one buffer, on the calling thread and for it.
  void bind_now(Buffer& buffer, const char* name, CallSite site);
  /// Gives the buffer's memory back behind `pending`, and ends the buffer.
  void release_buffer(Buffer& buffer, PointSet pending);
  /// Ends a buffer that nobody holds any more, or ties that to the task which alone is in the way. False when more is:
  /// then a task has to do it.
  bool release_without_task(Buffer& buffer);

  /// A queued task is claimed out of its turn. False when somebody else has it.
  bool claim_early(Task& task);
  Work* run_claimed_early(Task& task, KernelContext& context);
  /// Makes a pending task and, through it, what it waits for at least as urgent as `priority`.
  void raise_priority(Task& task, Priority priority) STRETTO_REQUIRES(recording_);

  /// Calls `function(predecessor)` for each predecessor of a pending task that is pending itself.
  template <typename Function>
  void for_each_pending_predecessor(Task& task, Function function) STRETTO_REQUIRES(recording_);

  /// The waits that tasks are in, by task. Under the recording lock.
  std::unordered_multimap<const Task*, TaskReference>& waits_inside() STRETTO_REQUIRES(recording_) {
    return waits_inside_;
  }
  /// Calls `function(wait)` for each wait that a running task is in.
  template <typename Function>
  void for_each_wait_inside(const Task& task, Function function) STRETTO_REQUIRES(recording_) {
    if (waits_inside_.empty()) return;
    const auto [begin, end] = waits_inside_.equal_range(&task);
    for (auto entry = begin; entry != end; ++entry)
      if (slab_.holds(entry->second)) function(slab_.at(entry->second.slot));
  }

  /// Blocks until `done()`; it is looked at when a worker runs out of work, and now and then.
  void await(FunctionRef<bool()> done);

  // Ends and forks; see lifecycle.cpp.
  /// Finishes what has effects outside, drops the rest, ends all threads. Later submissions run on the caller's thread.
  void end();
  bool ending() const { return ending_.load(std::memory_order_relaxed); }
  /// Of what the end drops; while it is ending.
  FailureReference dropped() const { return ending_.load(std::memory_order_acquire) ? dropped_ : FailureReference(); }
  /// Whether a task's body is not to run: what it needs failed, or the process is ending and nobody needs it.
  bool is_skipped(Task& task) {
    if (ending()) [[unlikely]]
      drop_unless_needed(task);
    return task.failure.load(std::memory_order_acquire) != nullptr;
  }
  /// Threads that wait for an epoch hold it: one must have ended before its number is used again.
  Mutex& epoch_turn() STRETTO_RETURN_CAPABILITY(epoch_turn_) { return epoch_turn_; }
  /// A pending task, and through it what it waits for, must run even though the process is ending.
  void need_at_exit(Task& task) STRETTO_REQUIRES(recording_);
  void before_fork() STRETTO_NO_THREAD_SAFETY_ANALYSIS;
  void after_fork(bool in_child) STRETTO_NO_THREAD_SAFETY_ANALYSIS;
  /// How many forks lie between the first process and this one.
  std::uint64_t forks() const { return forks_.load(std::memory_order_relaxed); }

  /// Bytes of buffers that nobody holds any more and that go when pending tasks are done. Small ones are left out.
  std::atomic<std::size_t>& awaiting_release() { return awaiting_release_; }
  static constexpr std::size_t smallest_counted_bytes = 4096;
  /// Buffers from this size on are told of when there is no memory left.
  static constexpr std::size_t large_holder = std::size_t{1} << 20;
  /// Threads outside tasks that are blocked until work is done.
  std::atomic<int>& blocked() { return blocked_; }
  /// The calling worker of `lane` is about to block inside a body, or goes on: somebody else takes its place.
  void block_worker(WorkerLane& lane, bool begins);

 private:
  void execute_body(Task& task, KernelContext& context);
  void publish_failure(Task& task, Failure* failure);
  void release_list(std::uintptr_t list, Failure* failure, Point point, WorkerLane* lane, Work*& next);
  void make_ready(Task& task, WorkerLane* lane, Work*& next);
  void run_inline(Task& task);
  void complete_join(Task& task);
  void recycle(Task& task);
  bool has_memory(const Task& task) const;
  Task* wait_or_park(Task& task, EngineDevice& device);
  Task* await_memory(Task& task, EngineDevice* queue);
  void let_parked_try(EngineDevice& device);
  [[noreturn]] void throw_out_of_memory(Task& task);
  void release_last(Buffer& buffer);
  /// Who asks for memory.
  struct Binding {
    const char* name;
    CallSite site;
    LaneId lane = 0;
    DeviceKind writer = DeviceKind::cpu;
  };
  bool take_memory(Buffer& buffer, const Binding& binding);
  void give_memory(Buffer& buffer, EngineDevice& device, Block block, const Binding& binding);
  bool try_bind(Buffer& buffer, const Binding& binding, PointSet& waits);
  [[noreturn]] void throw_out_of_memory(Buffer& buffer, const char* name, CallSite site);
  void drop_unless_needed(Task& task);
  void begin_end();
  void end_threads() STRETTO_NO_THREAD_SAFETY_ANALYSIS;
  /// Names the needed tasks that are still pending, but for those that the calling thread is inside of.
  std::string describe_lost();
  void poison_all_pending() STRETTO_NO_THREAD_SAFETY_ANALYSIS;

  // Written at every submission.
  alignas(64) SpinLock recording_;
  PendingCount count_;
  // Read by every task, written rarely.
  alignas(64) TaskSlab slab_;
  std::atomic<bool> serial_;
  AccessCheck* const access_check_;
  Watchdog* watchdog_ = nullptr;
  Repeats* repeats_ = nullptr;
  std::atomic<bool> ending_{false};
  std::atomic<std::uint64_t> forks_{0};
  std::atomic<int> urgent_count_{0};  ///< Of all devices together.
  MemoryWaiters memory_waiters_;

  // Written by whoever begins or ends a wait.
  alignas(64) std::atomic<int> blocked_{0};
  alignas(64) std::atomic<std::size_t> awaiting_release_{0};
  // Exchanged by each worker that runs out of work.
  alignas(64) std::atomic<int> progress_waiters_{0};

  alignas(64) FailureBook failures_;
  Mutex serial_order_;  ///< Held by the thread whose task the serial engine runs.
  Mutex failing_;       ///< Held while a task's failure is set: rare, so one for all.
  std::unordered_multimap<const Task*, TaskReference> waits_inside_ STRETTO_GUARDED_BY(recording_);
  Mutex epoch_turn_;
  FailureReference dropped_;  ///< Of what the end of the process drops; set before `ending_`.
  Mutex progress_mutex_;
  ConditionVariable progress_;

  DeviceTable devices_;  // last: its lanes call this object
};

template <typename Function>
void Scheduler::for_each_pending_predecessor(Task& task, Function function) {
  const auto visit = [&](TaskReference reference) {
    if (!reference) return;
    Task& predecessor = slab_.at(reference.slot);
    if (slab_.holds(reference) && predecessor.successors.load(std::memory_order_acquire) != closed_list)
      function(predecessor);
  };
  const int total = task.link_count;
  for (int i = 0; i < total && i < Task::inline_links; ++i) visit(task.predecessors[i]);
  Extension* extension = task.extension;
  for (int i = Task::inline_links; i < total; i += Extension::capacity, extension = extension->next)
    for (int j = 0; j < Extension::capacity && i + j < total; ++j) visit(extension->predecessors[j]);
}

}  // namespace stretto
