#include "engine/scheduler.h"

#include <chrono>
#include <optional>
#include <string>

#include <stretto/base/error.h>

#include "base/environment.h"
#include "base/log.h"
#include "base/prefetch.h"
#include "base/thread.h"
#include "engine/access_check.h"
#include "engine/launcher.h"
#include "engine/repeats.h"
#include "engine/replay.h"
#include "engine/trace_source.h"
#include "engine/waiting.h"
#include "engine/watchdog.h"

namespace stretto {
namespace {

/// Where a body runs that runs on no worker: loops are run through.
class InlineContext final : public KernelContext {
 public:
  void parallel_for(std::int64_t chunks, FunctionRef<void(std::int64_t)> body) override {
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) body(chunk);
  }
};

constexpr std::chrono::microseconds yields_before_sleep{100};

template <typename Function>
class ScopeEnd {
 public:
  explicit ScopeEnd(Function function) : function_(std::move(function)) {}
  ScopeEnd(const ScopeEnd&) = delete;
  ScopeEnd& operator=(const ScopeEnd&) = delete;
  ~ScopeEnd() { function_(); }

 private:
  Function function_;
};

/// What a body sees of where it runs. Chunks of its loops that other threads run belong to the task there, too: what
/// they wait for and submit is waited for and submitted inside it.
class TaskLoops final : public KernelContext {
 public:
  TaskLoops(Scheduler& scheduler, Task& task, RunningBody& running, KernelContext& inner)
      : scheduler_(scheduler), task_(task), running_(running), inner_(inner) {}

  void parallel_for(std::int64_t chunks, FunctionRef<void(std::int64_t)> body) override {
    inner_.parallel_for(chunks, [&](std::int64_t chunk) {
      ThreadState& me = scheduler_.thread();
      ThreadState::Frame frame{&task_, me.frame, &running_};
      me.frame = &frame;
      const ScopeEnd leave([&] { me.frame = frame.outer; });
      body(chunk);
    });
  }

 private:
  Scheduler& scheduler_;
  Task& task_;
  RunningBody& running_;
  KernelContext& inner_;
};

}  // namespace

Scheduler::Scheduler()
    : serial_(environment().engine == EngineKind::serial),
      access_check_(environment().check_access ? new AccessCheck : nullptr),
      devices_(*this) {
  const Environment& settings = environment();
  if (settings.repeats && !settings.check_access && settings.engine == EngineKind::parallel && settings.watchdog <= 0)
    repeats_ = new Repeats(*this);
  // Behind everything else: its thread looks at all of it.
  if (environment().watchdog <= 0) return;
  try {
    watchdog_ = new Watchdog(*this, std::chrono::nanoseconds(static_cast<std::int64_t>(environment().watchdog * 1e9)));
  } catch (const Error& error) {
    log(LogLevel::warning, std::string("nobody watches over the run (STRETTO_WATCHDOG): ") + error.message());
  }
}

// --- Running
// -------------------------------------------------------------------------------------------------------------

Work* Scheduler::run(Work& work, KernelContext& context) {
  auto& task = static_cast<Task&>(work);
  if (task.pending.load(std::memory_order_relaxed) != 0) {
    std::uint32_t expected = Task::queued;
    if (!task.pending.compare_exchange_strong(expected, Task::claimed, std::memory_order_acq_rel)) {
      // Somebody ran it before its turn; what was popped is only its place. The slot is free once it is done, too.
      if ((task.state.fetch_or(Task::popped_stale, std::memory_order_acq_rel) & Task::done_early) != 0) recycle(task);
      return nullptr;
    }
  }
  prefetch_successor(task);
  Task* chosen = has_memory(task) ? &task : bind_or_park(task);
  if (chosen == nullptr) [[unlikely]]
    return nullptr;
  execute_body(*chosen, context);
  return complete(*chosen, devices_.known(DeviceKind::cpu, chosen->device_index).workers);
}

void Scheduler::expect(const Work& work) {
  const auto& task = static_cast<const Task&>(work);
  prefetch_for_write(&task.failure);
  prefetch_for_write(&task.sequence);
  prefetch_successor(task);
}

Work& Scheduler::put_back(Work& work) {
  static_cast<Task&>(work).pending.store(Task::queued, std::memory_order_release);
  return work;
}

void Scheduler::execute(Work& work, KernelContext& context) {
  ThreadState& me = thread();
  std::vector<Task*>* const inline_ready = std::exchange(me.inline_ready, nullptr);
  execute_body(static_cast<Task&>(work), context);
  me.inline_ready = inline_ready;
}

void Scheduler::drop(Work& work) {
  auto& task = static_cast<Task&>(work);
  task.state.fetch_or(Task::skipped, std::memory_order_release);
  task.invoke(task, nullptr);
}

void Scheduler::execute_body(Task& task, KernelContext& context) {
  ThreadState& me = thread();
  RunningBody running;
  ThreadState::Frame frame{&task, me.frame, &running};
  me.frame = &frame;
  const trace::Ticks traced_from = trace::enabled() ? trace::ticks() : trace::no_time;
  bool entered = false;
  if (watchdog_ != nullptr) [[unlikely]]
    task.state.fetch_or(Task::begun, std::memory_order_release);
  if (is_skipped(task)) [[unlikely]] {
    task.state.fetch_or(Task::skipped, std::memory_order_release);
    task.invoke(task, nullptr);
  } else {
    try {
      TaskLoops loops(*this, task, running, context);
      // A lane's context is the kernels' own, with more than this one: they get it as it is.
      BodyContext body(task, task.is_in_order() ? context : static_cast<KernelContext&>(loops), running);
      entered = true;
      if (access_check_ != nullptr) [[unlikely]] {
        access_check_->run(task, body);
      } else {
        task.invoke(task, &body);
      }
    } catch (...) {
      fail(task, current_failure(task));
      if (!entered) task.invoke(task, nullptr);
    }
    if (!running.readers.empty()) [[unlikely]]
      await_readers(*this, task, running);
  }
  if (traced_from != trace::no_time) [[unlikely]]
    trace_body(*this, task, traced_from, entered);
  me.frame = frame.outer;
}

bool Scheduler::claim_early(Task& task) {
  ThreadControl::step();
  std::uint32_t expected = Task::queued;
  return task.pending.compare_exchange_strong(expected, Task::claimed_early, std::memory_order_acq_rel);
}

Work* Scheduler::run_claimed_early(Task& task, KernelContext& context) {
  bind_memory(task);
  execute_body(task, context);
  return complete(task, devices_.known(DeviceKind::cpu, task.device_index).workers);
}

bool Scheduler::run_urgent(KernelContext& context) {
  if (urgent_count_.load(std::memory_order_relaxed) == 0) [[likely]]
    return false;
  EngineDevice* own = nullptr;
  devices_.for_each([&](EngineDevice& device) {
    if (device.workers != nullptr && device.workers->on_worker()) own = &device;
  });
  if (own == nullptr || own->urgent_count.load(std::memory_order_relaxed) == 0) return false;
  Task* task = nullptr;
  {
    const SpinLockGuard lock(recording_);
    while (task == nullptr && !own->urgent.empty()) {
      const TaskReference reference = own->urgent.back();
      own->urgent.pop_back();
      urgent_count_.fetch_sub(1, std::memory_order_relaxed);
      Task& candidate = slab_.at(reference.slot);
      if (slab_.holds(reference) && claim_early(candidate)) task = &candidate;
    }
    own->urgent_count.store(static_cast<int>(own->urgent.size()), std::memory_order_relaxed);
  }
  if (task == nullptr) return false;
  if (Work* next = run_claimed_early(*task, context)) dispatch(static_cast<Task&>(*next));
  return true;
}

void Scheduler::idle() {
  thread().flush();
  // The exchange orders this thread's completions before the look at the waiters.
  if (progress_waiters_.fetch_add(0, std::memory_order_seq_cst) == 0) return;
  const MutexLock lock(progress_mutex_);
  progress_.notify_all();
}

void Scheduler::await(FunctionRef<bool()> done) {
  blocked_.fetch_add(1, std::memory_order_relaxed);
  const ScopeEnd at_end([&] { blocked_.fetch_sub(1, std::memory_order_relaxed); });
  for (int paused = 0; paused < 300; ++paused) {
    if (paused % 16 == 0 && done()) return;
    pause();
  }
  // Being woken costs as much as hundreds of small tasks. Whoever needs the core gets it.
  for (const auto end = SteadyClock::now() + yields_before_sleep; SteadyClock::now() < end;) {
    if (done()) return;
    yield();
  }
  progress_waiters_.fetch_add(1, std::memory_order_seq_cst);
  MutexLock lock(progress_mutex_);
  // Workers that stay busy with other work tell nobody: the time limit makes up for them.
  while (!done()) progress_.wait_for(lock, std::chrono::milliseconds(1));
  progress_waiters_.fetch_sub(1, std::memory_order_seq_cst);
}

void Scheduler::block_worker(WorkerLane& lane, bool begins) {
  if (Replay* const replay = thread().replay) replay->block(begins);
  lane.blocking(begins);
}

void Scheduler::dispatch(Task& task) {
  if (task.kind != Task::Kind::normal) {
    carry_out(task);
  } else if (serial()) {
    run_inline(task);
  } else if (task.is_in_order()) {
    devices_.known(task.device_kind, task.device_index).launcher->push(task);
  } else {
    const Priority priority = task.priority.load(std::memory_order_relaxed);
    task.pending.store(Task::queued, std::memory_order_release);
    WorkerLane& lane = *devices_.known(DeviceKind::cpu, task.device_index).workers;
    if (task.role == LaneRole::compute) {
      lane.push(task, priority);
    } else {
      lane.push_copy(task);
    }
  }
}

void Scheduler::run_inline(Task& task) {
  ThreadState& me = thread();
  if (me.inline_ready != nullptr) {
    me.inline_ready->push_back(&task);
    return;
  }
  // One task at a time in the process. What a body submits runs inside it, on the thread that the body runs on.
  std::optional<MutexLock> order;
  if (me.frame == nullptr) order.emplace(serial_order_);
  // Successors that become ready run one after the other, not one inside the other: a chain may be of any length.
  std::vector<Task*> ready{&task};
  for (std::size_t i = 0; i < ready.size(); ++i) {
    Task& one = *ready[i];
    me.inline_ready = &ready;
    if (one.is_in_order()) {
      devices_.known(one.device_kind, one.device_index).launcher->run_to_end(one);
    } else {
      InlineContext context;
      bind_memory(one);
      execute(one, context);
      complete(one, nullptr);
    }
    me.inline_ready = nullptr;
  }
}

void Scheduler::carry_out(Task& task) {
  if (task.kind == Task::Kind::join) {
    complete_join(task);
    return;
  }
  if (task.kind == Task::Kind::hold) {
    task.invoke(task, nullptr);
    return;
  }
  InlineContext inline_context;
  RunningBody running;
  BodyContext context(task, inline_context, running);
  if (task.invoke != nullptr) task.invoke(task, &context);
  complete(task, nullptr);
}

void Scheduler::complete_join(Task& task) {
  // Joins come after joins, in chains as long as a variable has readers: one after the other, not one inside the other.
  std::vector<Task*>& joins = thread().joins;
  joins.push_back(&task);
  if (joins.size() > 1) return;
  for (std::size_t i = 0; i < joins.size(); ++i) complete(*joins[i], nullptr);
  joins.clear();
}

}  // namespace stretto
