#pragma once

#include "engine/pending_count.h"
#include "engine/task_slab.h"

namespace stretto {

/// What the engine keeps for each thread that submits or runs tasks.
class ThreadState {
 public:
  /// The calling thread's; made at its first call.
  static ThreadState& current(TaskSlab& slab, PendingCount& count) {
    if (instance_ == nullptr) [[unlikely]]
      create(slab, count);
    return *instance_;
  }
  /// Without making one: null when this thread never had anything to do with the engine.
  static ThreadState* if_any() { return instance_; }

  Task* take_task() {
    if (free_ == nullptr) [[unlikely]]
      free_ = slab_.take_free();
    Task* task = free_;
    free_ = static_cast<Task*>(task->next);
    return task;
  }

  /// Takes back a task that was taken and not recorded.
  void untake(Task& task) {
    task.next = free_;
    free_ = &task;
  }

  /// A finished task's slot. Goes back to all threads in batches.
  void recycle(Task& task) {
    if (returned_ == nullptr) last_returned_ = &task;
    task.next = returned_;
    returned_ = &task;
    if (++returned_count_ >= batch) flush();
  }
  void flush() {
    if (returned_ == nullptr) return;
    slab_.give_back(returned_, last_returned_);
    returned_ = nullptr;
    returned_count_ = 0;
  }

  PendingCount::Cell& cell() { return cell_; }

  /// The tasks whose bodies this thread is in, innermost first; linked through the frames.
  struct Frame {
    Task* task;
    Frame* outer;
  };
  Frame* frame = nullptr;
  std::uint32_t submissions = 0;  ///< Counts towards the next look at back-pressure.

 private:
  static constexpr int batch = 32;
  struct Owner;

  ThreadState(TaskSlab& slab, PendingCount& count) : slab_(slab), count_(count), cell_(count.take_cell()) {}
  static void create(TaskSlab& slab, PendingCount& count);

  // In the static block of thread-local storage: it is read at every submission.
  [[gnu::tls_model("initial-exec")]] static thread_local ThreadState* instance_;

  TaskSlab& slab_;
  PendingCount& count_;
  PendingCount::Cell& cell_;
  Task* free_ = nullptr;
  Task* returned_ = nullptr;
  Task* last_returned_ = nullptr;
  int returned_count_ = 0;
};

}  // namespace stretto
