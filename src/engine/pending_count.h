#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/mutex.h"

namespace stretto {

/// How many tasks are pending, in two epochs, so that a waiter can wait for what was submitted before and no more.
///
/// Submission counts under the recording lock; completion counts in a cell of the completing thread, so that no cache
/// line is shared by all. The difference is exact when nothing moves, and never misses a pending task.
class PendingCount {
 public:
  /// One thread's completions. Written by its owner alone.
  struct alignas(64) Cell {
    std::array<std::atomic<std::uint64_t>, 2> completed{};

    void complete(int epoch) {
      completed[epoch].store(completed[epoch].load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
  };

  /// A cell for the calling thread, until given back. Cells are never freed.
  Cell& take_cell();
  void give_back(Cell& cell);

  /// Under the recording lock: counts a submission, in the current epoch or in that of a pending task.
  void submit(int epoch) {
    auto& count = submitted_[epoch];
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  /// Under the recording lock: takes a submission back that was counted in this epoch.
  void withdraw(int epoch) {
    auto& count = submitted_[epoch];
    count.store(count.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }

  /// Under the recording lock: 1, 2, 3, ...
  std::uint64_t next_sequence() { return ++sequence_; }
  /// Under the recording lock: the first of so many in a row.
  std::uint64_t next_sequences(std::uint64_t count) {
    sequence_ += count;
    return sequence_ - count + 1;
  }

  std::uint64_t pending(int epoch) const;
  std::uint64_t pending() const { return pending(0) + pending(1); }

  std::uint64_t completed() const { return completed(0) + completed(1); }

  /// Under the recording lock: later submissions count in the other epoch. Returns the one that ended.
  int begin_epoch() {
    const int ended = epoch_.load(std::memory_order_relaxed);
    epoch_.store(1 - ended, std::memory_order_relaxed);
    return ended;
  }
  int epoch() const { return epoch_.load(std::memory_order_relaxed); }

  /// Around a fork.
  void lock_for_fork() STRETTO_NO_THREAD_SAFETY_ANALYSIS { mutex_.lock(); }
  void unlock_after_fork() STRETTO_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }
  /// For the child after a fork: nothing is pending.
  void reset();

 private:
  std::uint64_t completed(int epoch) const;

  static constexpr int max_cells = 8192;
  std::atomic<int> epoch_{0};
  std::array<std::atomic<std::uint64_t>, 2> submitted_{};
  std::uint64_t sequence_ = 0;
  alignas(64) std::atomic<int> cell_count_{0};
  std::array<std::atomic<Cell*>, max_cells> cells_{};
  Mutex mutex_;
  std::vector<Cell*> free_cells_ STRETTO_GUARDED_BY(mutex_);
};

}  // namespace stretto
