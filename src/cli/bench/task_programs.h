#pragma once

#include <cstdint>
#include <vector>

/// The programs that the tasks bench runs, and its peers with it: which variables a task reads and updates, and what it
/// does to them. Nothing of Stretto is needed here.
namespace stretto::cli::task_programs {

using Value = std::int64_t;

/// The variables of the independent tasks: between two waits none is used twice.
inline constexpr std::int64_t independent_variables = 50'000;
inline constexpr int dag_variables = 256;
/// Each side of the grid of tiles: as many tiles as there are variables.
inline constexpr int tiles_per_side = 16;

/// What a task does: the variable it updates changes with its own value and with what it reads, so that tasks run in a
/// wrong order leave another value.
constexpr void update(Value& target, Value first, Value second) {
  const auto mixed = static_cast<std::uint64_t>(first) ^ (static_cast<std::uint64_t>(second) << 1);
  target =
      static_cast<Value>((static_cast<std::uint64_t>(target) + mixed) * 6364136223846793005u + 1442695040888963407u);
}
constexpr void update(Value& target) { update(target, 0, 0); }

class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

/// One task of the random DAG: three different variables.
struct DagTask {
  std::uint8_t first;   ///< Read.
  std::uint8_t second;  ///< Read.
  std::uint8_t target;  ///< Updated.
};

inline std::vector<DagTask> random_dag(std::int64_t count) {
  SplitMix64 random(42);
  std::vector<DagTask> tasks;
  tasks.reserve(static_cast<std::size_t>(count));
  while (static_cast<std::int64_t>(tasks.size()) < count) {
    const std::uint64_t bits = random.next();
    const DagTask task{static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8),
                       static_cast<std::uint8_t>(bits >> 16)};
    if (task.first != task.second && task.first != task.target && task.second != task.target) tasks.push_back(task);
  }
  return tasks;
}

/// The variables of a program before its first task: all different.
inline std::vector<Value> first_values(std::int64_t count) {
  std::vector<Value> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = i + 1;
  return values;
}

/// What `count` tasks leave that update `number` variables in turn, by a loop.
inline std::vector<Value> serial_independent(std::int64_t count, std::int64_t number) {
  std::vector<Value> values = first_values(number);
  for (std::int64_t i = 0; i < count; ++i) update(values[static_cast<std::size_t>(i % number)]);
  return values;
}

/// What the random DAG leaves, by a loop.
inline std::vector<Value> serial_random_dag(const std::vector<DagTask>& tasks) {
  std::vector<Value> values = first_values(dag_variables);
  for (const DagTask& task : tasks) update(values[task.target], values[task.first], values[task.second]);
  return values;
}

}  // namespace stretto::cli::task_programs
