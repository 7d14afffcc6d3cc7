#include "engine/waiting.h"

#include <limits>
#include <memory>
#include <unordered_set>

#include <stretto/base/error.h>

#include "base/futex.h"
#include "base/mutation.h"
#include "base/thread.h"
#include "engine/declared.h"
#include "engine/recorder.h"
#include "engine/replay.h"
#include "engine/watchdog.h"

namespace stretto {
namespace {

// A task that waits inside another runs what it waits for on its own stack, this deep; beyond, another thread takes
// over.
constexpr int deepest_help = 32;
// A task that waits inside another looks again this often for something to do: it may be the only thread left that can.
constexpr std::chrono::milliseconds look_again{100};

struct Waiter {
  std::atomic<std::uint32_t> done{0};
  FailureReference failure;
};

/// Puts the waiter into a task of kind wait: carried out when all its predecessors are complete.
void place_waiter(Task& task, std::shared_ptr<Waiter> waiter) {
  static_assert(sizeof(std::shared_ptr<Waiter>) <= Task::inline_closure);
  new (task.closure) std::shared_ptr<Waiter>(std::move(waiter));
  task.invoke = [](Task& self, BodyContext*) {
    auto& held = *std::launder(reinterpret_cast<std::shared_ptr<Waiter>*>(self.closure));
    const std::shared_ptr<Waiter> waiter = std::move(held);
    held.~shared_ptr();
    waiter->failure = FailureReference(self.failure.load(std::memory_order_acquire));
    waiter->done.store(1, std::memory_order_release);
    futex_wake(waiter->done, std::numeric_limits<int>::max());
  };
}

/// Whether the thread's slices are its own: what lanes work off in order has tracks that are no thread's.
bool is_on_own_track(const ThreadState& thread) {
  return thread.frame == nullptr || !thread.frame->task->is_in_order();
}

[[noreturn]] void throw_failure(const FailureReference& failure) {
  failure->read.store(true);
  failure->raise();
}

/// What a wait finds among the pending tasks it waits for.
struct Search {
  Task* runnable = nullptr;      ///< Ready, and claimed for the caller.
  Task* own_ancestor = nullptr;  ///< A task that this thread is inside of: the wait would never end.
};

/// Looks through all that `waiting` comes after, also by way of tasks that wait inside their bodies. `lane` null:
/// claims nothing. `waiting` may be over, and its slot another task's: then there is nothing to find.
Search search_predecessors(Scheduler& scheduler, TaskReference waiting, WorkerLane* lane) {
  Search result;
  const ThreadState& me = scheduler.thread();
  std::unordered_set<Task*> seen;
  const SpinLockGuard lock(scheduler.recording());
  if (!scheduler.slab().holds(waiting)) return result;
  std::vector<Task*> open{&scheduler.slab().at(waiting.slot)};
  while (!open.empty()) {
    Task& task = *open.back();
    open.pop_back();
    const auto visit = [&](Task& predecessor) {
      if (!seen.insert(&predecessor).second) return;
      if (me.is_inside(predecessor)) result.own_ancestor = &predecessor;
      open.push_back(&predecessor);
    };
    scheduler.for_each_pending_predecessor(task, visit);
    scheduler.for_each_wait_inside(task, visit);
    if (task.kind == Task::Kind::hold && Replay::look_behind(task, me, visit)) result.own_ancestor = me.frame->task;
    if (result.own_ancestor != nullptr) return result;
  }
  if (lane == nullptr) return result;
  for (Task* task : seen) {
    if (task->kind != Task::Kind::normal || task->is_in_order()) continue;
    if (scheduler.devices().known(DeviceKind::cpu, task->device_index).workers != lane) continue;
    if (!scheduler.claim_early(*task)) continue;
    result.runnable = task;
    break;
  }
  return result;
}

void block(Scheduler& scheduler, Waiter& waiter, std::chrono::nanoseconds limit) {
  scheduler.blocked().fetch_add(1, std::memory_order_relaxed);
  for (int paused = 0; paused < 300 && waiter.done.load(std::memory_order_acquire) == 0; ++paused) pause();
  if (waiter.done.load(std::memory_order_acquire) == 0) futex_wait(waiter.done, 0, limit);
  scheduler.blocked().fetch_sub(1, std::memory_order_relaxed);
}

void block(Scheduler& scheduler, Waiter& waiter) {
  while (waiter.done.load(std::memory_order_acquire) == 0) block(scheduler, waiter, std::chrono::seconds(10));
}

/// Tells others, while it lives, that the task which this thread is inside of waits: who waits for that task waits for
/// this, too.
class WaitInside {
 public:
  WaitInside(Scheduler& scheduler, TaskReference waiting)
      : scheduler_(scheduler), inside_(*scheduler.thread().frame->task), reference_(waiting) {
    const SpinLockGuard lock(scheduler_.recording());
    scheduler_.waits_inside().emplace(&inside_, reference_);
  }
  WaitInside(const WaitInside&) = delete;
  WaitInside& operator=(const WaitInside&) = delete;
  ~WaitInside() {
    const SpinLockGuard lock(scheduler_.recording());
    auto& waits = scheduler_.waits_inside();
    auto [entry, end] = waits.equal_range(&inside_);
    while (entry != end && entry->second != reference_) ++entry;
    if (entry != end) waits.erase(entry);
  }

 private:
  Scheduler& scheduler_;
  const Task& inside_;
  const TaskReference reference_;
};

void block_inside_task(Scheduler& scheduler, TaskReference waiting, Waiter& waiter, const char* operation,
                       CallSite site) {
  static thread_local int depth = 0;
  ThreadState& me = scheduler.thread();
  WorkerLane* lane = scheduler.devices().known(DeviceKind::cpu, 0).workers;
  const Task& current = *me.frame->task;
  if (!current.is_in_order()) lane = scheduler.devices().known(DeviceKind::cpu, current.device_index).workers;
  const bool on_worker = lane->on_worker();
  const WaitInside wait_inside(scheduler, waiting);
  while (waiter.done.load(std::memory_order_acquire) == 0) {
    const Search found = search_predecessors(scheduler, waiting, on_worker && depth < deepest_help ? lane : nullptr);
    if (found.own_ancestor != nullptr) {
      throw UsageError(operation,
                       "waits inside " + describe(*found.own_ancestor) + " for something that waits for this very task",
                       site);
    }
    if (found.runnable != nullptr) {
      ++depth;
      if (Work* next = scheduler.run_claimed_early(*found.runnable, lane->current_context()))
        scheduler.dispatch(static_cast<Task&>(*next));
      --depth;
      continue;
    }
    if (on_worker) scheduler.block_worker(*lane, true);
    block(scheduler, waiter, look_again);
    if (on_worker) scheduler.block_worker(*lane, false);
  }
}

}  // namespace

void wait_for_buffer(Scheduler& scheduler, Buffer& buffer, const Box* box, const char* operation, CallSite site) {
  ThreadState& me = scheduler.thread();
  for (const ThreadState::Frame* frame = me.frame; frame != nullptr; frame = frame->outer) {
    switch (find_declared(*frame, buffer, box)) {
      case Declared::nothing: break;
      // Its predecessors are done.
      case Declared::read: return;
      case Declared::in_part:
        if (frame != me.frame) break;
        throw UsageError(
            operation,
            "waits inside " + describe(*frame->task) + " for a tensor of which this task declared a part alone", site);
      case Declared::written:
        throw UsageError(operation, "waits inside " + describe(*frame->task) + " for a tensor that this task writes",
                         site);
    }
  }
  Task* task = me.take_task(scheduler.recording());
  const auto waiter = std::make_shared<Waiter>();
  Recorder recorder(scheduler, *task);
  bool waits = false;
  bool ready = false;
  TaskReference waiting;
  Recorder::Awaited awaited;
  {
    const SpinLockGuard lock(scheduler.recording());
    recorder.peek(buffer, box);
    waits = recorder.predecessor_count() > 0 && !is_broken(Mutation::host_read_wait);
    if (waits) {
      if (trace::enabled()) [[unlikely]]
        awaited = recorder.awaited();
      recorder.begin({.name = operation, .site = site, .device = buffer.device()}, Task::Kind::wait);
      if (scheduler.ending()) recorder.note_end();
      place_waiter(*task, waiter);
      // Once its edges are tied it may be over at any moment.
      waiting = scheduler.slab().reference(*task);
      ready = recorder.finish();
    }
  }
  if (!waits) {
    me.untake(*task);
    if (recorder.failure()) throw_failure(recorder.failure());
  } else {
    const trace::Waiting traced(awaited.name, "host read", site, awaited.id, !ready && is_on_own_track(me));
    if (ready) {
      scheduler.carry_out(*task);
    } else if (me.frame != nullptr) {
      block_inside_task(scheduler, waiting, *waiter, operation, site);
    } else {
      block(scheduler, *waiter);
    }
    if (waiter->failure) throw_failure(waiter->failure);
  }
  // Never written: the memory is there, its contents are not defined.
  if (buffer.data() == nullptr) scheduler.bind_now(buffer, operation, site);
}

void await_readers(Scheduler& scheduler, Task& task, RunningBody& running) {
  for (const TaskReference reference : running.readers) {
    Task& reader = scheduler.slab().at(reference.slot);
    Task& waiting = *scheduler.thread().take_task(scheduler.recording());
    const auto waiter = std::make_shared<Waiter>();
    Recorder recorder(scheduler, waiting);
    bool ready = false;
    TaskReference awaited;
    const char* name = "";
    CallSite site;
    {
      const SpinLockGuard lock(scheduler.recording());
      recorder.after(reference, Hazard::write_after_read);
      if (recorder.predecessor_count() > 0) {
        name = reader.name;
        site = reader.site();
        recorder.begin({.name = name, .site = site, .device = Device(task.device_kind, task.device_index)},
                       Task::Kind::wait);
        if (scheduler.ending()) recorder.note_end();
        place_waiter(waiting, waiter);
        awaited = scheduler.slab().reference(waiting);
        ready = recorder.finish();
      }
    }
    if (recorder.predecessor_count() == 0) {
      scheduler.thread().untake(waiting);
    } else if (ready) {
      scheduler.carry_out(waiting);
    } else {
      try {
        block_inside_task(scheduler, awaited, *waiter, name, site);
      } catch (const UsageError&) {
        // What it reads is no longer there when its turn comes.
        const FailureReference failure = scheduler.current_failure(task);
        scheduler.fail(reader, failure);
        scheduler.fail(task, failure);
      }
    }
  }
}

void wait_all(Scheduler& scheduler, CallSite site) {
  if (scheduler.thread().frame != nullptr)
    throw UsageError(
        "wait_all",
        std::string("called inside the task ") + scheduler.thread().frame->task->name + ", which it would wait for",
        site);
  {
    const Watchdog::Waiting watched(scheduler.watchdog(), "wait_all", site);
    const trace::Waiting traced("wait_all", "wait_all", site);
    const MutexLock turn(scheduler.epoch_turn());
    int epoch = 0;
    {
      const SpinLockGuard lock(scheduler.recording());
      epoch = scheduler.count().begin_epoch();
    }
    scheduler.await([&] { return scheduler.count().pending(epoch) == 0; });
  }
  if (const FailureReference failure = scheduler.failures().take_unread()) throw_failure(failure);
}

void synchronize(Scheduler& scheduler, Device device, CallSite site) {
  ThreadState& me = scheduler.thread();
  if (me.frame != nullptr)
    throw UsageError("synchronize", std::string("called inside the task ") + me.frame->task->name, site);
  Task& task = *me.take_task(scheduler.recording());
  const auto waiter = std::make_shared<Waiter>();
  Recorder recorder(scheduler, task);
  bool ready = false;
  {
    const SpinLockGuard lock(scheduler.recording());
    TaskSlab& slab = scheduler.slab();
    recorder.begin({.name = "synchronize", .site = site, .device = device}, Task::Kind::wait);
    place_waiter(task, waiter);
    std::vector<TaskReference> group;
    const auto join_group = [&] {
      if (!group.empty()) recorder.after(recorder.join(group), Hazard::read_after_write);
      group.clear();
    };
    for (std::uint32_t slot = 0; slot < slab.used(); ++slot) {
      const Task& other = slab.at(slot);
      const bool counts = other.kind == Task::Kind::normal || other.kind == Task::Kind::hold;
      if (&other == &task || !counts || other.device_kind != device.kind() || other.device_index != device.index() ||
          other.successors.load(std::memory_order_acquire) == closed_list)
        continue;
      group.push_back(slab.reference(other));
      if (group.size() == 128) join_group();
    }
    join_group();
    ready = recorder.finish();
  }
  {
    const trace::Waiting traced("synchronize", "wait_all", site);
    recorder.carry_out_joins();
    if (ready) {
      scheduler.carry_out(task);
    } else {
      block(scheduler, *waiter);
    }
  }
  if (const FailureReference failure = scheduler.failures().take_unread(device)) throw_failure(failure);
}

}  // namespace stretto
