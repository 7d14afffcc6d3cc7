#pragma once

#include <vector>

#include "base/prefetch.h"
#include "engine/pending_count.h"
#include "engine/running_body.h"
#include "engine/task_slab.h"
#include "trace/recording.h"

namespace stretto {

class RepeatingThread;
class Replay;

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

  /// A free slot for a new task. `recording` is taken when the thread has none left.
  Task* take_task(SpinLock& recording) {
    if (free_->count == 0) [[unlikely]]
      refill(recording);
    Task* task = &slab_.at(free_->slots[--free_->count]);
    if (free_->count >= prefetch_distance) prefetch(slab_.at(free_->slots[free_->count - prefetch_distance]));
    return task;
  }
  /// The same for a caller that holds the recording lock.
  Task* take_task_while_recording() {
    if (free_->count == 0) free_ = slab_.exchange_for_free(free_);
    return &slab_.at(free_->slots[--free_->count]);
  }
  /// Takes back a task that was taken last and not recorded.
  void untake(Task& task) { free_->slots[free_->count++] = slab_.slot_of(task); }

  /// A finished task's slot. Goes back to all threads in batches.
  void recycle(Task& task) {
    returned_->slots[returned_->count++] = slab_.slot_of(task);
    if (returned_->count == FreeSlots::capacity) flush();
  }
  void flush() {
    if (returned_->count > 0) returned_ = slab_.exchange_for_empty(returned_);
  }

  PendingCount::Cell& cell() { return cell_; }

  /// The tasks whose bodies this thread is in, innermost first; linked through the frames.
  struct Frame {
    Task* task;
    Frame* outer;
    RunningBody* body;
  };
  Frame* frame = nullptr;
  Replay* replay = nullptr;              ///< Whose node this thread runs.
  RepeatingThread* repeating = nullptr;  ///< Null while its repeats are not looked for.
  bool is_inside(const Task& task) const {
    for (const Frame* one = frame; one != nullptr; one = one->outer)
      if (one->task == &task) return true;
    return false;
  }
  std::uint32_t submissions = 0;  ///< Counts towards the next look at back-pressure.
  std::uint64_t let_through_at =
      ~std::uint64_t{0};                       ///< Completions when back-pressure last gave up; see Engine::hold_back.
  std::uint64_t let_through_to = 0;            ///< While these are all, so many may be pending.
  std::vector<Task*> joins;                    ///< Joins this thread is completing; see Scheduler::complete_join.
  std::vector<trace::Edge> traced_edges;       ///< Of tasks being recorded; see Recorder.
  std::vector<Task*>* inline_ready = nullptr;  ///< Where the serial engine puts successors; see Scheduler::run_inline.

 private:
  static constexpr int prefetch_distance = 4;

  /// The lines of a slot that will soon be written were last in the cache of whoever ran its task; the fourth never
  /// left, but may have been pushed out of the first caches.
  static void prefetch(Task& task) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&task);
    for (std::size_t line = 0; line < 256; line += 64) prefetch_for_write(bytes + line);
  }
  void refill(SpinLock& recording);

  ThreadState(TaskSlab& slab, PendingCount& count) : slab_(slab), count_(count), cell_(count.take_cell()) {}
  static void create(TaskSlab& slab, PendingCount& count);
  static void destroy(void* state);

  // In the static block of thread-local storage: it is read at every submission.
  [[gnu::tls_model("initial-exec")]] static thread_local constinit ThreadState* instance_;

  TaskSlab& slab_;
  PendingCount& count_;
  PendingCount::Cell& cell_;
  FreeSlots* free_ = new FreeSlots;
  FreeSlots* returned_ = new FreeSlots;
};

}  // namespace stretto
