#pragma once

#include <atomic>
#include <cstdint>

#include "base/mutex.h"
#include "engine/task.h"

namespace stretto {

/// All tasks of the process: one reserved run of addresses, touched as it is used, so that a slot number is an address and a stale
/// reference is safe to look at. Slots are recycled, never given back.
class TaskSlab {
 public:
  static constexpr std::uint32_t capacity = 1u << 22;

  TaskSlab();

  Task& at(std::uint32_t slot) const { return tasks_[slot]; }
  std::uint32_t slot_of(const Task& task) const { return static_cast<std::uint32_t>(&task - tasks_); }
  TaskReference reference(const Task& task) const { return {slot_of(task), task.generation}; }
  static Task& owner_of(Link& link) {
    return *reinterpret_cast<Task*>(reinterpret_cast<std::uintptr_t>(&link) & ~(alignof(Task) - 1));
  }

  /// A list of free slots, linked by `next`; at least one. Throws Error when all slots are pending.
  Task* take_free();
  /// Gives a list back. From any thread.
  void give_back(Task* first, Task* last);

  /// Slots that were ever used: all pending tasks have lower numbers.
  std::uint32_t used() const { return used_.load(std::memory_order_acquire); }

  /// Forgets the list of free slots, for the child after a fork, which gives all slots back itself.
  void forget_free() { free_.store(nullptr); }

 private:
  Task* tasks_;
  std::atomic<std::uint32_t> used_{0};
  alignas(64) std::atomic<Work*> free_{nullptr};
};

}  // namespace stretto
