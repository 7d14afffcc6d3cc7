#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "backend/lane.h"

namespace stretto {

/// A worker's own queue of ready work: bounded, first in first out. The owner appends; anybody takes.
class WorkRing {
 public:
  static constexpr std::uint64_t capacity = 256;

  /// False when full. Only the owner.
  bool push(Work& work) {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) >= capacity) return false;
    slots_[tail % capacity].store(&work, std::memory_order_relaxed);
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }

  /// Null when empty, or when another taker was faster.
  Work* take() {
    std::uint64_t head = head_.load(std::memory_order_acquire);
    if (head == tail_.load(std::memory_order_acquire)) return nullptr;
    // The owner overwrites the slot only after head has moved past it, and then the exchange fails.
    Work* work = slots_[head % capacity].load(std::memory_order_relaxed);
    return head_.compare_exchange_strong(head, head + 1, std::memory_order_acq_rel) ? work : nullptr;
  }

  /// The piece at this distance behind the oldest, or null; somebody may take it at any moment.
  Work* peek(std::uint64_t distance) const {
    const std::uint64_t at = head_.load(std::memory_order_relaxed) + distance;
    return at < tail_.load(std::memory_order_relaxed) ? slots_[at % capacity].load(std::memory_order_relaxed) : nullptr;
  }

  /// How many pieces were ever taken.
  std::uint64_t taken() const { return head_.load(std::memory_order_relaxed); }
  std::size_t size() const {
    const std::uint64_t head = head_.load(std::memory_order_acquire);
    return tail_.load(std::memory_order_acquire) - head;
  }
  bool empty() const { return head_.load(std::memory_order_acquire) == tail_.load(std::memory_order_acquire); }

 private:
  alignas(64) std::atomic<std::uint64_t> head_{0};
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  std::array<std::atomic<Work*>, capacity> slots_{};
};

}  // namespace stretto
