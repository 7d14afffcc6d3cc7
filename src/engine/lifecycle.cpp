#include "engine/lifecycle.h"

#include <pthread.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include <stretto/base/error.h>

#include "base/environment.h"
#include "engine/launcher.h"
#include "trace/recording.h"

namespace stretto {
namespace {

Scheduler* kept = nullptr;

}  // namespace

void keep_lifecycle(Scheduler& scheduler) {
  kept = &scheduler;
  if (environment().trace) trace::enable(true);
  std::atexit([] { kept->end(); });
  pthread_atfork([] { kept->before_fork(); }, [] { kept->after_fork(false); }, [] { kept->after_fork(true); });
}

// --- The end of the process
// ----------------------------------------------------------------------------------------------

void Scheduler::mark_needed_at_exit() {
  std::vector<Task*> open;
  const auto need = [&](Task& task) {
    if ((task.state.fetch_or(Task::needed_at_exit, std::memory_order_acq_rel) & Task::needed_at_exit) == 0)
      open.push_back(&task);
  };
  for (std::uint32_t slot = 0; slot < slab_.used(); ++slot) {
    Task& task = slab_.at(slot);
    if ((task.flags & Task::outside_effect) != 0 && task.successors.load(std::memory_order_acquire) != closed_list)
      need(task);
  }
  while (!open.empty()) {
    Task& task = *open.back();
    open.pop_back();
    for_each_pending_predecessor(task, need);
  }
}

std::string Scheduler::describe_pending() {
  std::map<std::string, int> names;
  const SpinLockGuard lock(recording_);
  for (std::uint32_t slot = 0; slot < slab_.used(); ++slot) {
    const Task& task = slab_.at(slot);
    if (task.kind != Task::Kind::normal || task.successors.load(std::memory_order_acquire) == closed_list) continue;
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
  if (serial_.load() || ending_.load()) {
    ending_.store(true);
  } else {
    {
      const SpinLockGuard lock(recording_);
      mark_needed_at_exit();
    }
    ending_.store(true);
    using clock = std::chrono::steady_clock;
    const clock::time_point deadline =
        clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(environment().exit_timeout * 1000));
    await([&] { return count_.pending() == 0 || clock::now() > deadline; });
    if (count_.pending() > 0) {
      std::fprintf(stderr, "stretto: gave up at exit after %g s (STRETTO_EXIT_TIMEOUT), lost: %s\n",
                   environment().exit_timeout, describe_pending().c_str());
      // Workers are inside tasks that do not end: they cannot be joined, so the process ends around them.
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
  if (trace::enabled() && environment().trace) {
    trace::enable(false);
    try {
      trace::write_file(*environment().trace);
    } catch (const Error& error) {
      std::fprintf(stderr, "stretto: %s\n", error.what());
    }
  }
  if (const FailureReference failure = failures_.take_unread()) {
    try {
      std::rethrow_exception(failure->error);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "stretto: a failure was never read: %s\n", error.what());
    }
  }
}

// --- Forks
// ---------------------------------------------------------------------------------------------------------------

void Scheduler::before_fork() {
  // A fork inside a submission cannot happen: this thread is not in one. Other threads are held at the edge of theirs.
  recording_.lock();
  failing_.lock();
  binding_.lock();
  failures_.mutex().lock();
  progress_mutex_.lock();
  urgent_mutex_.lock();
  devices_.for_each([](EngineDevice& device) {
    device.holders_mutex.lock();
    device.memory->lock_for_fork();
  });
}

void Scheduler::after_fork(bool in_child) {
  devices_.for_each([](EngineDevice& device) {
    device.memory->unlock_after_fork();
    device.holders_mutex.unlock();
  });
  urgent_mutex_.unlock();
  progress_mutex_.unlock();
  failures_.mutex().unlock();
  binding_.unlock();
  failing_.unlock();
  recording_.unlock();
  if (in_child) poison_all_pending();
}

void Scheduler::poison_all_pending() {
  devices_.for_each([](EngineDevice& device) {
    if (device.workers != nullptr) device.workers->reset_after_fork();
    if (device.launcher != nullptr) device.launcher->reset_after_fork();
  });
  FailureReference failure(
      new Failure(std::make_exception_ptr(
                      Error("the value was still being computed when the process forked; only the parent has it")),
                  0));
  failure->read.store(true);
  progress_waiters_ = 0;
  stalled_ = 0;
  awaiting_release_ = 0;
  blocked_ = 0;
  urgent_.clear();
  urgent_count_ = 0;
  const SpinLockGuard lock(recording_);
  for (std::uint32_t slot = 0; slot < slab_.used(); ++slot) {
    Task& task = slab_.at(slot);
    if (task.successors.load() == closed_list) continue;
    for (std::size_t i = 0; i < task.access_count; ++i)
      if (writes(task.mode(i))) task.buffer(i).mark_failed(slab_.reference(task), failure);
    // The slot is not used again: a frame of this thread may still be inside the task.
    task.issue_successors.store(closed_list);
    task.successors.store(closed_list);
  }
  slab_.forget_free();
  count_.reset();
}

}  // namespace stretto
