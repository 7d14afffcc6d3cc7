#include "engine/lifecycle.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <stretto/base/error.h>

#include "base/environment.h"
#include "base/fork.h"
#include "base/thread.h"
#include "engine/access_check.h"
#include "engine/launcher.h"
#include "engine/repeats.h"
#include "engine/replay.h"
#include "engine/trace_source.h"
#include "engine/watchdog.h"
#include "trace/writer.h"

namespace stretto {
namespace {

Scheduler* kept = nullptr;
constinit Mutex making;

/// Where the whole run is recorded; empty where it is not.
std::string& own_recording() {
  static std::string& path = *new std::string;
  return path;
}

// From the start of the process on: a thread may be making the engine when another forks.
[[maybe_unused]] const bool handles_forks = [] {
  set_fork_handlers(
      [] {
        making.lock();
        if (kept != nullptr) kept->before_fork();
      },
      [](bool in_child) {
        if (in_child) {
          trace::forget_after_fork();
          own_recording().clear();
        }
        if (kept != nullptr) kept->after_fork(in_child);
        making.unlock();
      });
  return true;
}();

void begin_recording() {
  const Environment& settings = environment();
  std::string path = settings.trace.value_or("");
  // The graph is drawn of a recording.
  if (path.empty() && settings.graph) path = *settings.graph + ".trace.json";
  if (path.empty()) return;
  try {
    trace::start(path);
    own_recording() = path;
  } catch (const Error& error) {
    std::fprintf(stderr, "stretto: %s\n", error.what());
  }
}

void end_recording() {
  try {
    trace::stop();
  } catch (const Error& error) {
    std::fprintf(stderr, "stretto: %s\n", error.what());
    return;
  }
  const std::string path = std::exchange(own_recording(), {});
  if (!path.empty() && trace::finish() != nullptr) trace::finish()(path);
}

}  // namespace

Mutex& engine_making() { return making; }

void keep_lifecycle(Scheduler& scheduler) {
  kept = &scheduler;
  tell_recordings_of(scheduler);
  begin_recording();
  std::atexit([] { kept->end(); });
}

// --- The end of the process
// ----------------------------------------------------------------------------------------------

void Scheduler::need_at_exit(Task& needed) {
  std::vector<Task*> open;
  const auto need = [&](Task& task) {
    if ((task.state.fetch_or(Task::needed_at_exit, std::memory_order_acq_rel) & Task::needed_at_exit) == 0)
      open.push_back(&task);
  };
  need(needed);
  while (!open.empty()) {
    Task& task = *open.back();
    open.pop_back();
    for_each_pending_predecessor(task, need);
    if (task.kind == Task::Kind::hold) Replay::need(task, need);
  }
}

void Scheduler::begin_end() {
  dropped_ = FailureReference(new Failure(
      std::make_exception_ptr(
          Error("the value was dropped: the process is ending, and no task with outside effects needed it")),
      std::numeric_limits<std::uint64_t>::max()));
  dropped_->read.store(true);
  const SpinLockGuard lock(recording_);
  for (std::uint32_t slot = 0; slot < slab_.used(); ++slot) {
    Task& task = slab_.at(slot);
    if ((task.flags & Task::outside_effect) != 0 && task.successors.load(std::memory_order_acquire) != closed_list)
      need_at_exit(task);
  }
  ending_.store(true);
}

void Scheduler::drop_unless_needed(Task& task) {
  if (ending_.load(std::memory_order_acquire) &&
      (task.state.load(std::memory_order_relaxed) & Task::needed_at_exit) == 0)
    fail(task, dropped_);
}

std::string Scheduler::describe_lost() {
  std::map<std::string, int> names;
  const SpinLockGuard lock(recording_);
  for (std::uint32_t slot = 0; slot < slab_.used(); ++slot) {
    const Task& task = slab_.at(slot);
    if (task.kind != Task::Kind::normal || task.successors.load(std::memory_order_acquire) == closed_list ||
        (task.state.load(std::memory_order_relaxed) & Task::needed_at_exit) == 0 || thread().is_inside(task))
      continue;
    const std::string place = to_string(task.site());
    ++names[std::string(task.name) + (place.empty() ? "" : " at " + place)];
  }
  std::string text;
  int listed = 0;
  for (const auto& [name, count] : names) {
    if (listed++ == 5) {
      text += ", ...";
      break;
    }
    text += (text.empty() ? "" : ", ") + name + (count > 1 ? " (" + std::to_string(count) + " times)" : "");
  }
  return text;
}

void Scheduler::end() {
  if (repeats_ != nullptr) repeats_->stop();
  if (!serial()) end_threads();
  if (watchdog_ != nullptr) watchdog_->stop();
  end_recording();
  if (const FailureReference failure = failures_.take_unread()) {
    try {
      failure->raise();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "stretto: a failure was never read: %s\n", error.what());
    }
    // Whoever asks for the check wants to know.
    if (access_check_ != nullptr && access_check_->found_any()) {
      std::fflush(nullptr);
      std::_Exit(1);
    }
  }
}

void Scheduler::end_threads() {
  begin_end();
  if (thread().frame != nullptr) {
    // Exit was called inside a task, which can neither end nor be waited for.
    const std::string lost = describe_lost();
    if (!lost.empty())
      std::fprintf(stderr, "stretto: exit was called inside the task %s, lost: %s\n", thread().frame->task->name,
                   lost.c_str());
    return;
  }
  using clock = SteadyClock;
  const Watchdog::Waiting watched(watchdog_, "the end of the process");
  const clock::time_point deadline =
      clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(environment().exit_timeout * 1000));
  // What other threads submit from here on, outside tasks, is not waited for: they may never stop.
  bool turn = false;
  await([&] { return (turn = epoch_turn_.try_lock()) || clock::now() > deadline; });
  bool done = false;
  if (turn) {
    int epoch = 0;
    {
      const SpinLockGuard lock(recording_);
      epoch = count_.begin_epoch();
    }
    await([&] { return (done = count_.pending(epoch) == 0) || clock::now() > deadline; });
    epoch_turn_.unlock();
  }
  if (!done) {
    std::fprintf(stderr, "stretto: gave up at exit after %g s (STRETTO_EXIT_TIMEOUT), lost: %s\n",
                 environment().exit_timeout, describe_lost().c_str());
    // Workers are inside tasks that do not end: they cannot be joined, so the process ends around them.
    end_recording();
    std::fflush(nullptr);
    std::_Exit(1);
  }
  devices_.for_each([](EngineDevice& device) {
    if (device.launcher != nullptr) device.launcher->stop();
    if (device.workers != nullptr) device.workers->stop();
  });
  // Destructors of globals may still use tensors: from here on, on their own thread.
  serial_.store(true);
  ending_.store(false);
}

// --- Forks
// ---------------------------------------------------------------------------------------------------------------

void Scheduler::before_fork() {
  if (repeats_ != nullptr) repeats_->before_fork();
  // Other threads are held at the edge of a submission or a completion, and in the serial engine between two tasks. A
  // fork inside a task of the serial engine comes from whoever holds its lock.
  if (thread().frame == nullptr) serial_order_.lock();
  recording_.lock();
  slab_.lock_for_fork();
  count_.lock_for_fork();
  failing_.lock();
  failures_.mutex().lock();
  progress_mutex_.lock();
  devices_.for_each([](EngineDevice& device) STRETTO_NO_THREAD_SAFETY_ANALYSIS {
    device.holders_mutex.lock();
    device.allocations.lock_for_fork();
  });
  devices_.for_each_pool([](MemoryPool& pool) STRETTO_NO_THREAD_SAFETY_ANALYSIS { pool.lock_for_fork(); });
}

void Scheduler::after_fork(bool in_child) {
  devices_.for_each_pool([](MemoryPool& pool) STRETTO_NO_THREAD_SAFETY_ANALYSIS { pool.unlock_after_fork(); });
  devices_.for_each([](EngineDevice& device) STRETTO_NO_THREAD_SAFETY_ANALYSIS {
    device.allocations.unlock_after_fork();
    device.holders_mutex.unlock();
  });
  progress_mutex_.unlock();
  failures_.mutex().unlock();
  failing_.unlock();
  count_.unlock_after_fork();
  slab_.unlock_after_fork();
  recording_.unlock();
  if (thread().frame == nullptr) serial_order_.unlock();
  if (in_child) {
    forks_.fetch_add(1, std::memory_order_relaxed);
    poison_all_pending();
  }
  if (repeats_ != nullptr) repeats_->after_fork(in_child);
}

void Scheduler::poison_all_pending() {
  devices_.for_each([](EngineDevice& device) STRETTO_NO_THREAD_SAFETY_ANALYSIS {
    if (device.workers != nullptr) device.workers->reset_after_fork();
    if (device.launcher != nullptr) device.launcher->reset_after_fork();
    device.started = false;
    device.urgent.clear();
    device.urgent_count = 0;
    device.allocations.forget_all();
    new (&device.memory_queue_mutex) Mutex;
    device.parked = {};
    device.parked_count = 0;
    device.watched = false;
  });
  if (watchdog_ != nullptr) watchdog_->reset_after_fork();
  // A thread that is gone may have been waiting with it.
  new (&epoch_turn_) Mutex;
  new (&progress_) ConditionVariable;
  // The parent tells of its failures.
  failures_.take_unread();
  waits_inside_.clear();
  FailureReference failure(
      new Failure(std::make_exception_ptr(
                      Error("the value was still being computed when the process forked; only the parent has it")),
                  0));
  failure->read.store(true);
  progress_waiters_ = 0;
  memory_waiters_.reset();
  awaiting_release_ = 0;
  blocked_ = 0;
  urgent_count_ = 0;
  const SpinLockGuard lock(recording_);
  for (std::uint32_t slot = 0; slot < slab_.used(); ++slot) {
    Task& task = slab_.at(slot);
    if (task.successors.load() == closed_list) continue;
    for (std::size_t i = 0; i < task.access_count; ++i) {
      if (writes(task.mode(i))) task.buffer(i).mark_failed(slab_.reference(task), failure);
      task.buffer(i).being_bound_.store(false);
    }
    // The slot is not used again: a frame of this thread may still be inside the task.
    task.issue_successors.store(closed_list);
    task.successors.store(closed_list);
  }
  slab_.forget_free();
  count_.reset();
}

}  // namespace stretto
