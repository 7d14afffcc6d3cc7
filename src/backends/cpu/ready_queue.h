#pragma once

#include <atomic>
#include <cstddef>

#include "backend/lane.h"
#include "backends/cpu/work_ring.h"

namespace stretto {

/// Ready work that belongs to no worker yet, first in first out. Anybody pushes without a lock; one worker at a time moves a batch
/// into its ring, so that the shared cache lines change hands once a batch and not once a task.
class ReadyQueue {
 public:
  void push(Work& work) {
    Work* head = incoming_.load(std::memory_order_relaxed);
    do {
      work.next = head;
    } while (!incoming_.compare_exchange_weak(head, &work, std::memory_order_seq_cst, std::memory_order_relaxed));
  }

  bool empty() const {
    return incoming_.load(std::memory_order_seq_cst) == nullptr && backlog_size_.load(std::memory_order_seq_cst) == 0;
  }

  /// Takes the oldest piece, and moves up to `batch` more behind it into `ring`. Null when there is none, or when another worker
  /// is taking at this moment.
  Work* take(WorkRing& ring, std::size_t batch) {
    if (taking_.test(std::memory_order_relaxed) || taking_.test_and_set(std::memory_order_acquire)) return nullptr;
    std::size_t size = backlog_size_.load(std::memory_order_relaxed);
    if (size == 0) size = reverse_incoming();
    Work* first = backlog_;
    if (first != nullptr) {
      Work* rest = first->next;
      --size;
      while (batch-- > 0 && rest != nullptr) {
        // Read before the push: once in the ring, the work may run and its slot be used again.
        Work* next = rest->next;
        if (!ring.push(*rest)) break;
        rest = next;
        --size;
      }
      backlog_ = rest;
      backlog_size_.store(size, std::memory_order_seq_cst);
    }
    taking_.clear(std::memory_order_release);
    return first;
  }

  /// Forgets everything; for the child after a fork.
  void reset() {
    incoming_.store(nullptr);
    backlog_ = nullptr;
    backlog_size_.store(0);
    taking_.clear();
  }

 private:
  /// The stack of pushed work becomes the backlog, oldest first. Called with `taking_` held and an empty backlog.
  std::size_t reverse_incoming() {
    Work* newest = incoming_.exchange(nullptr, std::memory_order_seq_cst);
    std::size_t size = 0;
    backlog_ = nullptr;
    while (newest != nullptr) {
      Work* older = newest->next;
      newest->next = backlog_;
      backlog_ = newest;
      newest = older;
      ++size;
    }
    return size;
  }

  alignas(64) std::atomic<Work*> incoming_{nullptr};
  alignas(64) std::atomic_flag taking_;
  Work* backlog_ = nullptr;
  std::atomic<std::size_t> backlog_size_{0};
};

}  // namespace stretto
