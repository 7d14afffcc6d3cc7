#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/task.h"
#include "memory/spin_lock.h"

namespace stretto {

/// Slots that are free, by number: handing numbers over moves a few cache lines between cores, where a list through the
/// tasks themselves would move one for each task.
struct FreeSlots {
  static constexpr int capacity = 61;
  std::array<std::uint32_t, capacity> slots;
  int count = 0;
  FreeSlots* next = nullptr;
};

/// What the recorder asks about every predecessor, kept apart from the tasks: a few bytes for each slot that stay in
/// the cache of whoever submits, where the tasks' own lines are with those who run them.
struct RecordedTask {
  std::uint32_t generation = 0;  ///< Which of the slot's lives this is.
  // Copies of what stands in the task's second line, which its runner holds.
  DeviceKind kind = DeviceKind::cpu;
  bool is_in_order = false;
  Priority priority = Priority::normal;
};

/// All tasks of the process: one reserved run of addresses, touched as it is used, so that a slot number is an address
/// and a stale reference is safe to look at. Slots are recycled, never given back.
class TaskSlab {
 public:
  static constexpr std::uint32_t capacity = 1u << 22;

  TaskSlab();

  Task& at(std::uint32_t slot) const { return tasks_[slot]; }
  std::uint32_t slot_of(const Task& task) const { return static_cast<std::uint32_t>(&task - tasks_); }
  TaskReference reference(const Task& task) const {
    const std::uint32_t slot = slot_of(task);
    return {slot, recorded_[slot].generation};
  }
  /// Under the recording lock, as all that asks for another's generation.
  RecordedTask& recorded(const Task& task) const { return recorded_[slot_of(task)]; }
  /// Whether the slot still holds the task that is meant. If not, that is over.
  bool holds(TaskReference reference) const { return recorded_[reference.slot].generation == reference.generation; }

  /// Exchanges an empty batch for one with free slots, and begins a new generation of each: references to earlier tasks
  /// say "finished" from here on. Throws Error when all slots are pending. Call under the recording lock.
  FreeSlots* exchange_for_free(FreeSlots* empty);
  /// Exchanges a full batch for an empty one. From any thread.
  FreeSlots* exchange_for_empty(FreeSlots* full);

  /// Room for more edges of `task`, for good. Under the recording lock.
  Extension* extend(Task& task);

  /// Slots that were ever used: all pending tasks have lower numbers.
  std::uint32_t used() const { return used_.load(std::memory_order_acquire); }

  /// Around a fork, under the recording lock.
  void lock_for_fork() STRETTO_NO_THREAD_SAFETY_ANALYSIS { lock_.lock(); }
  void unlock_after_fork() STRETTO_NO_THREAD_SAFETY_ANALYSIS { lock_.unlock(); }
  /// Forgets the free slots, for the child after a fork.
  void forget_free();

 private:
  FreeSlots* first_use();
  FreeSlots* take_empty();

  // Read by every task; what changes has lines of its own.
  Task* tasks_;
  RecordedTask* recorded_;
  alignas(64) std::atomic<std::uint32_t> used_{0};
  SpinLock lock_;
  FreeSlots* oldest_full_ STRETTO_GUARDED_BY(lock_) = nullptr;
  FreeSlots* newest_full_ STRETTO_GUARDED_BY(lock_) = nullptr;
  FreeSlots* empty_ STRETTO_GUARDED_BY(lock_) = nullptr;
  // Under the recording lock: slots of the new generation.
  alignas(64) FreeSlots* oldest_free_ = nullptr;
  FreeSlots* newest_free_ = nullptr;
  // Also: where the next extensions go.
  std::byte* next_extension_ = nullptr;
  std::byte* extensions_end_ = nullptr;
};

}  // namespace stretto
