// What happens when a task is complete, or issued: who comes after it is let go.

#include "base/mutation.h"
#include "base/prefetch.h"
#include "base/thread.h"
#include "engine/scheduler.h"

namespace stretto {
namespace {

Task& owner_of(std::uintptr_t list) {
  const std::uintptr_t link = list & ~(link_after_read | link_after_write);
  if ((link & link_in_extension) != 0)
    return *reinterpret_cast<Extension*>(link & ~(std::uintptr_t{alignof(Extension)} - 1))->owner;
  return *reinterpret_cast<Task*>(link & ~(std::uintptr_t{alignof(Task)} - 1));
}

}  // namespace

Work* Scheduler::complete(Task& task, WorkerLane* lane) {
  Failure* failure = task.failure.load(std::memory_order_acquire);
  if (failure != nullptr) [[unlikely]]
    publish_failure(task, failure);
  Work* next = nullptr;
  // An in-order task that failed before it was issued is complete without ever having a point.
  if (task.is_in_order()) {
    const bool was_issued = task.point.load(std::memory_order_relaxed) != 0;
    for (std::size_t i = 0; was_issued && i < task.access_count; ++i) task.buffer(i).let_go();
    const std::uintptr_t issue_list = task.issue_successors.exchange(closed_list, std::memory_order_acq_rel);
    if (issue_list != closed_list) release_list(issue_list, failure, Point(), lane, next);
  }
  ThreadControl::step();
  const std::uintptr_t list = task.successors.exchange(closed_list, std::memory_order_acq_rel);
  ThreadControl::step();
  release_list(list, failure, Point(), lane, next);

  ThreadState& me = thread();
  const int epoch = task.epoch();
  if (task.access_count > Task::inline_accesses) delete[] reinterpret_cast<std::uintptr_t*>(task.accesses[0]);
  const bool early = task.pending.load(std::memory_order_relaxed) == Task::claimed_early;
  if (!early || (task.state.fetch_or(Task::done_early, std::memory_order_acq_rel) & Task::popped_stale) != 0)
    recycle(task);
  me.cell().complete(epoch);
  return next;
}

void Scheduler::issued(Task& task, Point point) {
  task.point.store(point.bits(), std::memory_order_release);
  ThreadControl::step();
  const std::uintptr_t list = task.issue_successors.exchange(closed_list, std::memory_order_acq_rel);
  Work* next = nullptr;
  // A failure from before the issue is known to those behind it; one found on the device meets them when they retire.
  release_list(list, task.failure.load(std::memory_order_acquire), point, nullptr, next);
}

void Scheduler::release_list(std::uintptr_t list, Failure* failure, Point point, WorkerLane* lane, Work*& next) {
  while (list != 0) {
    if ((list & link_of_buffer) != 0) {
      Buffer& buffer = Buffer::of_release_link(*reinterpret_cast<Link*>(list & ~link_of_buffer));
      list = buffer.release_link().bits;
      release_last(buffer);
      continue;
    }
    auto& link = *reinterpret_cast<Link*>(list & ~link_flags);
    Task& successor = owner_of(list);
    prefetch_for_write(&successor.pending);
    const bool carries_value = (list & link_carries_value) != 0;
    const std::uintptr_t rest = link.bits;
    if (failure != nullptr && carries_value && !is_broken(Mutation::poison)) [[unlikely]]
      fail(successor, FailureReference(failure));
    if ((list & link_wants_point) != 0) link.bits = point ? point_bits(point, list) : 0;
    ThreadControl::step();
    if (arrive(successor)) make_ready(successor, lane, next);
    list = rest;
  }
}

void Scheduler::make_ready(Task& task, WorkerLane* lane, Work*& next) {
  if (lane != nullptr && next == nullptr && task.kind == Task::Kind::normal && !task.is_in_order() &&
      devices_.known(DeviceKind::cpu, task.device_index).workers == lane &&
      task.priority.load(std::memory_order_relaxed) == Priority::normal) {
    next = &task;
    expect(task);
  } else {
    dispatch(task);
  }
}

void Scheduler::recycle(Task& task) {
  if (task.failure.load(std::memory_order_acquire) != nullptr) [[unlikely]] {
    const MutexLock lock(failing_);
    FailureReference::adopt(task.failure.exchange(nullptr, std::memory_order_relaxed));
  }
  thread().recycle(task);
}

void Scheduler::raise_priority(Task& raised, Priority priority) {
  std::vector<Task*> open{&raised};
  while (!open.empty()) {
    Task& task = *open.back();
    open.pop_back();
    if (slab_.recorded(task).priority <= priority) continue;
    slab_.recorded(task).priority = priority;
    task.priority.store(priority, std::memory_order_relaxed);
    if (task.pending.load(std::memory_order_acquire) == Task::queued && task.kind == Task::Kind::normal &&
        !task.is_in_order()) {
      EngineDevice& device = devices_.known(DeviceKind::cpu, task.device_index);
      device.urgent.push_back(slab_.reference(task));
      device.urgent_count.store(static_cast<int>(device.urgent.size()), std::memory_order_relaxed);
      urgent_count_.fetch_add(1, std::memory_order_relaxed);
    }
    for_each_pending_predecessor(task, [&](Task& predecessor) { open.push_back(&predecessor); });
  }
}

}  // namespace stretto
