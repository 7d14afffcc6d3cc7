#include "engine/memory_wait.h"

#include <limits>

#include "base/futex.h"
#include "engine/launcher.h"
#include "engine/scheduler.h"

namespace stretto {
namespace {

constexpr std::chrono::microseconds retry{500};

}  // namespace

void MemoryWaiters::notify() {
  if (count.load(std::memory_order_relaxed) == 0) [[likely]]
    return;
  changes.fetch_add(1, std::memory_order_release);
  futex_wake(changes, std::numeric_limits<int>::max());
}

void MemoryWaiters::reset() {
  count = 0;
  trying = 0;
}

MemoryWait::MemoryWait(Scheduler& scheduler, WorkerLane* lane, int looks)
    : scheduler_(scheduler), waiters_(scheduler.memory_waiters()), lane_(lane), looks_(looks), looks_left_(looks) {
  waiters_.count.fetch_add(1, std::memory_order_seq_cst);
  seen_ = waiters_.changes.load(std::memory_order_acquire);
}

MemoryWait::~MemoryWait() {
  // In this order: at each moment one of the two says that the owner moves.
  if (blocking_) scheduler_.block_worker(*lane_, false);
  if (trying_) waiters_.trying.fetch_sub(1, std::memory_order_seq_cst);
  waiters_.count.fetch_sub(1, std::memory_order_relaxed);
}

void MemoryWait::attempt() {
  if (!trying_) waiters_.trying.fetch_add(1, std::memory_order_seq_cst);
  trying_ = true;
  const std::uint32_t changes = waiters_.changes.load(std::memory_order_acquire);
  if (changes != seen_) looks_left_ = looks_;
  seen_ = changes;
}

void MemoryWait::fail_attempt() {
  if (lane_ != nullptr && !blocking_) {
    blocking_ = true;
    scheduler_.block_worker(*lane_, true);
  }
  if (trying_) waiters_.trying.fetch_sub(1, std::memory_order_seq_cst);
  trying_ = false;
}

void MemoryWait::pause() {
  fail_attempt();
  futex_wait(waiters_.changes, seen_, retry);
  look();
}

void MemoryWait::look() {
  fail_attempt();
  if (waiters_.changes.load(std::memory_order_acquire) != seen_ || scheduler_.anything_moves()) return;
  --looks_left_;
}

bool Scheduler::anything_moves() {
  if (memory_waiters_.trying.load(std::memory_order_seq_cst) > 0) return true;
  bool any = false;
  devices_.for_each([&](EngineDevice& device) {
    any |= device.workers != nullptr ? !device.workers->at_rest() : device.launcher->has_more_than_blocked();
  });
  if (any) return true;
  // Who waits inside a task for something that is done by now is about to go on.
  const SpinLockGuard lock(recording_);
  for (const auto& [task, reference] : waits_inside_) {
    const Task& waiting = slab_.at(reference.slot);
    if (!slab_.holds(reference) || waiting.successors.load(std::memory_order_acquire) == closed_list) return true;
  }
  return false;
}

}  // namespace stretto
