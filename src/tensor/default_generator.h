#pragma once

#include <cstdint>

#include <stretto/tensor/generator.h>

namespace stretto {

/// What a thread, or a task while it runs, draws from, and how many tasks it has submitted.
struct RandomSource {
  explicit constexpr RandomSource(std::uint64_t key) : generator(key), key(key) {}

  Generator generator;
  std::uint64_t key;
  std::uint64_t tasks = 0;
};

/// Of the task that the calling thread is in, else of the thread.
RandomSource& random_source();

/// The key of the next task that the caller submits.
std::uint64_t next_task_key();
/// The key of a task that is submitted by somebody with this key, who has submitted so many before.
std::uint64_t task_key(std::uint64_t key, std::uint64_t tasks);

/// Inside a task's body: `random_source` is the task's own while this lives.
class TaskRandomScope {
 public:
  explicit TaskRandomScope(std::uint64_t key);
  ~TaskRandomScope();
  TaskRandomScope(const TaskRandomScope&) = delete;
  TaskRandomScope& operator=(const TaskRandomScope&) = delete;

 private:
  RandomSource source_;
  RandomSource* outer_;
};

}  // namespace stretto
