#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <new>

#include "backend/lane.h"
#include "backends/cpu/work_ring.h"
#include "base/mutex.h"
#include "base/prefetch.h"

namespace stretto {

/// Ready work that belongs to no worker yet, first in first out. Anybody pushes; one worker at a time moves a batch
/// into its ring.
///
/// A ring of pointers: the shared cache lines change hands once for several pieces, and the work itself is not touched.
/// What does not fit waits in a list behind a lock until the ring has been empty.
class ReadyQueue {
 public:
  ReadyQueue() : slots_(new std::atomic<Work*>[capacity]()) {}

  void push(Work& work) {
    // The head is the takers' line: it is looked at when the ring might be full by what was seen last. Several pushes
    // may pass the check together; the margin has room for each thread there can be.
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - seen_head_.load(std::memory_order_relaxed) >= capacity - margin) [[unlikely]] {
      const std::size_t head = head_.load(std::memory_order_acquire);
      seen_head_.store(head, std::memory_order_relaxed);
      if (tail - head >= capacity - margin) {
        push_overflow(work);
        return;
      }
    }
    const std::size_t at = tail_.fetch_add(1, std::memory_order_seq_cst);
    slots_[at % capacity].store(&work, std::memory_order_release);
  }

  bool empty() const {
    return tail_.load(std::memory_order_seq_cst) == head_.load(std::memory_order_relaxed) &&
           !overflowing_.load(std::memory_order_seq_cst);
  }

  /// How many pieces were ever taken, roughly.
  std::uint64_t taken() const { return head_.load(std::memory_order_relaxed); }
  /// How many wait, roughly; never 0 when some do.
  std::size_t size() const {
    const std::size_t head = head_.load(std::memory_order_acquire);
    return tail_.load(std::memory_order_seq_cst) - head + (overflowing_.load(std::memory_order_seq_cst) ? 1 : 0);
  }

  /// Takes the oldest piece, and moves up to `batch` more behind it into `ring`. Null when there is none, or when
  /// another worker is taking at this moment.
  Work* take(WorkRing& ring, std::size_t batch) {
    if (empty() || taking_.test(std::memory_order_relaxed) || taking_.test_and_set(std::memory_order_acquire))
      return nullptr;
    std::size_t head = head_.load(std::memory_order_relaxed);
    const std::size_t tail = tail_.load(std::memory_order_acquire);
    Work* first = nullptr;
    for (std::size_t taken = 0; head != tail && taken <= batch; ++taken) {
      std::atomic<Work*>& slot = slots_[head % capacity];
      Work* work = slot.load(std::memory_order_acquire);
      // Its place is reserved and its pusher about to fill it. The rest is behind it in order.
      if (work == nullptr) break;
      prefetch_for_write(work);
      if (first == nullptr) {
        first = work;
      } else if (!ring.push(*work)) {
        break;
      }
      slot.store(nullptr, std::memory_order_relaxed);
      ++head;
    }
    head_.store(head, std::memory_order_release);
    if (first == nullptr && head == tail && overflowing_.load(std::memory_order_acquire)) first = take_overflow();
    taking_.clear(std::memory_order_release);
    return first;
  }

  /// Forgets everything; for the child after a fork.
  void reset() {
    // Threads that are gone may have held the lock, and left the list half changed.
    new (&mutex_) Mutex;
    new (&overflow_) std::deque<Work*>;
    for (std::size_t i = 0; i < capacity; ++i) slots_[i].store(nullptr);
    head_ = 0;
    tail_ = 0;
    seen_head_ = 0;
    taking_.clear();
    overflowing_ = false;
  }

 private:
  static constexpr std::size_t capacity = 16384;
  static constexpr std::size_t margin = 2048;

  void push_overflow(Work& work) {
    const MutexLock lock(mutex_);
    overflow_.push_back(&work);
    overflowing_.store(true, std::memory_order_seq_cst);
  }
  Work* take_overflow() {
    const MutexLock lock(mutex_);
    Work* work = overflow_.front();
    overflow_.pop_front();
    if (overflow_.empty()) overflowing_.store(false, std::memory_order_release);
    return work;
  }

  std::unique_ptr<std::atomic<Work*>[]> slots_;
  alignas(64) std::atomic<std::size_t> tail_{0};
  std::atomic<std::size_t> seen_head_{0};
  alignas(64) std::atomic<std::size_t> head_{0};
  std::atomic_flag taking_;
  alignas(64) std::atomic<bool> overflowing_{false};
  Mutex mutex_;
  std::deque<Work*> overflow_;
};

}  // namespace stretto
