#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "engine/task.h"

namespace stretto {

/// A task that may be issued. Of what is ready, the earliest statement of the program is issued first, so that a lane's
/// order is the program's: a copy never stands behind the copy of a later result, and what allocates behind what frees.
/// Only copies to the host go before what computes: they are seldom, and somebody waits for them.
struct ReadyTask {
  Priority priority;
  bool is_no_copy_to_host;
  std::uint64_t sequence;
  Task* task;
  auto operator<=>(const ReadyTask&) const = default;
};

/// Tasks that may be issued, the first of them at the top. Most come in their order, and are then only passed from one
/// end of a queue to the other: a heap of thousands takes longer than their dependencies.
class ReadyTasks {
 public:
  bool empty() const { return in_order_.empty() && others_.empty(); }
  void push(const ReadyTask& task) {
    if (in_order_.empty() || in_order_.back() < task) {
      in_order_.push_back(task);
    } else {
      others_.push(task);
    }
  }
  const ReadyTask& top() const { return is_in_order() ? in_order_.front() : others_.top(); }
  void pop() {
    if (is_in_order()) {
      in_order_.pop_front();
    } else {
      others_.pop();
    }
  }

 private:
  bool is_in_order() const { return others_.empty() || (!in_order_.empty() && in_order_.front() < others_.top()); }

  std::deque<ReadyTask> in_order_;
  std::priority_queue<ReadyTask, std::vector<ReadyTask>, std::greater<>> others_;
};

}  // namespace stretto
