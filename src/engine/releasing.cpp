// How buffers end, and their memory goes back to its pool.

#include "engine/access_check.h"
#include "engine/scheduler.h"

namespace stretto {
namespace {

/// Finds the one pending task of those that a release comes after, as long as there is only one.
class LastUser final : public AccessSink {
 public:
  explicit LastUser(const TaskSlab& slab) : slab_(slab) {}

  void after(TaskReference reference, Hazard) override {
    Task& other = slab_.at(reference.slot);
    if (!slab_.holds(reference) || &other == user_) return;
    several_ |= user_ != nullptr && !is_over(*user_);
    user_ = &other;
  }
  void reads_failed(const FailureReference&) override {}
  bool finished(TaskReference reference) const override { return !slab_.holds(reference); }
  TaskReference join(std::span<const TaskReference>) override { return {}; }

  Task* user() const { return user_; }
  bool several() const { return several_; }

 private:
  // Looked at only when there is another: the line is the worker's.
  bool is_over(const Task& task) const {
    return !slab_.recorded(task).is_in_order && task.successors.load(std::memory_order_acquire) == closed_list;
  }

  const TaskSlab& slab_;
  Task* user_ = nullptr;
  bool several_ = false;
};

}  // namespace

bool Scheduler::release_without_task(Buffer& buffer) {
  {
    const SpinLockGuard lock(recording_);
    LastUser last(slab_);
    if (buffer.written_) buffer.log_.peek_write(last);
    if (last.several()) return false;
    if (Task* user = last.user()) {
      // In-order users leave points behind, which a task collects.
      if (slab_.recorded(*user).is_in_order) return false;
      std::uintptr_t head = user->successors.load(std::memory_order_acquire);
      while (head != closed_list) {
        buffer.release_link_.bits = head;
        if (user->successors.compare_exchange_weak(
                head, reinterpret_cast<std::uintptr_t>(&buffer.release_link_) | link_of_buffer,
                std::memory_order_acq_rel, std::memory_order_acquire))
          return true;
      }
    }
  }
  release_last(buffer);
  return true;
}

void Scheduler::release_last(Buffer& buffer) {
  const std::size_t bytes = buffer.bytes();
  release_buffer(buffer, {});
  if (bytes >= smallest_counted_bytes) awaiting_release_.fetch_sub(bytes, std::memory_order_relaxed);
}

void Scheduler::release_buffer(Buffer& buffer, PointSet pending) {
  if (buffer.expected_) {
    devices_.known(buffer.device().kind(), buffer.device().index()).allocations.forget(buffer);
    memory_waiters_.notify();
  }
  if (buffer.data() != nullptr && !buffer.borrowed_) {
    EngineDevice& device = devices_.known(buffer.device().kind(), buffer.device().index());
    if (buffer.bytes() >= large_holder) {
      const MutexLock holders(device.holders_mutex);
      device.holders.erase(&buffer);
    }
    // Users that were skipped waited for nothing.
    if (buffer.unsettled_.load(std::memory_order_acquire)) pending.merge(buffer.block_.pending);
    buffer.block_.pending = std::move(pending);
    MemoryPool* const copies = devices_.copy_memory(buffer.copied_from_);
    MemoryPool& pool = copies != nullptr ? *copies : *device.memory;
    if (access_check_ != nullptr) [[unlikely]] {
      access_check_->retire(pool, std::move(buffer.block_));
    } else {
      pool.release(std::move(buffer.block_));
    }
    memory_waiters_.notify();
  }
  buffer.let_go();
}

}  // namespace stretto
