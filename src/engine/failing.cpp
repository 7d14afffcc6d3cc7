// How a task fails, and who learns of it.

#include <stretto/base/error.h>

#include "engine/scheduler.h"

namespace stretto {

void Scheduler::fail(Task& task, const FailureReference& failure) {
  const MutexLock lock(failing_);
  Failure* known = task.failure.load(std::memory_order_relaxed);
  if (known != nullptr && known->sequence <= failure->sequence) return;
  task.failure.store(FailureReference(failure).release(), std::memory_order_release);
  if (known != nullptr) FailureReference::adopt(known);
}

FailureReference Scheduler::failure_of(const Task& task) {
  if (task.failure.load(std::memory_order_acquire) == nullptr) return {};
  const MutexLock lock(failing_);
  return FailureReference(task.failure.load(std::memory_order_relaxed));
}

FailureReference Scheduler::current_failure(const Task& task) {
  const CallSite site(task.file, "", task.line);
  const auto failure = [&task](std::exception_ptr error) {
    return FailureReference(new Failure(std::move(error), task.sequence, Device(task.device_kind, task.device_index)));
  };
  try {
    throw;
  } catch (Error& error) {
    if (error.operation().empty()) error.with_context(task.name, site);
    return failure(std::current_exception());
  } catch (const std::exception& error) {
    return failure(std::make_exception_ptr(Error(task.name, error.what(), site)));
  } catch (...) {
    return failure(std::make_exception_ptr(Error(task.name, "threw something that is no std::exception", site)));
  }
}

void Scheduler::publish_failure(Task& task, Failure* failure) {
  // Its own, and not that of something it read: on an in-order lane that is known only now.
  if (failure->sequence == task.sequence) failures_.add(FailureReference(failure));
  const SpinLockGuard lock(recording_);
  for (std::size_t i = 0; i < task.access_count; ++i)
    if (writes(task.mode(i))) task.buffer(i).mark_failed(slab_.reference(task), FailureReference(failure));
}

}  // namespace stretto
