#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <unordered_map>

#include "trace/recording.h"

namespace stretto::trace {

/// The numbers of tasks by their keys. A row for each generation and a column for each slot: slots are taken in runs
/// and all about equally often, so that neighbours in time are neighbours in memory, and nothing has to be searched
/// for. Rows are used again after some thousands; what is still to be remembered then is kept aside, so what is found
/// does not depend on how slots are used.
class TaskNumbers {
 public:
  /// Remembers the last `most` numbers: a task whose number is that far behind the greatest may be found or not.
  explicit TaskNumbers(std::size_t most) : most_(most), row_count_(2 * most / first_columns) {}

  /// Keys are put once, in the order of their numbers or nearly so.
  void put(TaskKey key, TaskId id);
  /// The task's number; 0 where there is none.
  TaskId find(TaskKey key) const {
    const std::uint32_t slot = slot_of(key), generation = generation_of(key);
    if (slot < column_count_) {
      const Entry& entry = at(slot, generation);
      if (entry.generation == generation) return whole(entry.id);
    }
    return aside_.empty() ? 0 : find_aside(key);
  }

 private:
  struct Entry {
    std::uint32_t generation;  ///< 0: none.
    std::uint32_t id;          ///< Its lower half.
  };
  /// Memory that is zero and not there before it is used.
  struct Free {
    void operator()(Entry* entries) const { std::free(entries); }
  };
  static constexpr std::size_t first_columns = 128;

  static std::uint32_t slot_of(TaskKey key) { return static_cast<std::uint32_t>(key) & ((1u << 22) - 1); }
  static std::uint32_t generation_of(TaskKey key) { return static_cast<std::uint32_t>(key >> 22); }
  Entry& at(std::uint32_t slot, std::uint32_t generation) const {
    return entries_[(generation & (row_count_ - 1)) * column_count_ + slot];
  }
  TaskId whole(std::uint32_t id) const { return newest_ - (static_cast<std::uint32_t>(newest_) - id); }
  TaskId find_aside(TaskKey key) const;
  void widen(std::size_t slots);
  void enter(std::uint32_t slot, Entry entry);
  void keep_aside(TaskKey key, TaskId id);

  const std::size_t most_;
  // Powers of two.
  std::size_t row_count_;
  std::size_t column_count_ = 0;
  std::unique_ptr<Entry[], Free> entries_;
  std::uint32_t newest_generation_ = 0;
  TaskId newest_ = 0;
  std::unordered_map<TaskKey, TaskId> aside_;
  std::size_t most_aside_ = 4096;  ///< With more it is looked which of them are too old.
};

}  // namespace stretto::trace
