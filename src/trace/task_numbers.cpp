#include "trace/task_numbers.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace stretto::trace {

void TaskNumbers::put(TaskKey key, TaskId id) {
  const std::uint32_t slot = slot_of(key);
  newest_ = std::max(newest_, id);
  newest_generation_ = std::max(newest_generation_, generation_of(key));
  if (slot >= column_count_) [[unlikely]]
    widen(slot + 1);
  enter(slot, {generation_of(key), static_cast<std::uint32_t>(id)});
}

void TaskNumbers::enter(std::uint32_t slot, Entry entry) {
  Entry& place = at(slot, entry.generation);
  if (place.generation != 0 && whole(place.id) + most_ > newest_) [[unlikely]]
    keep_aside(key_of(slot, place.generation), whole(place.id));
  place = entry;
}

void TaskNumbers::keep_aside(TaskKey key, TaskId id) {
  if (aside_.size() >= most_aside_) {
    std::erase_if(aside_, [this](const auto& one) { return one.second + most_ <= newest_; });
    most_aside_ = std::max(most_aside_, 2 * aside_.size());
  }
  aside_[key] = id;
}

TaskId TaskNumbers::find_aside(TaskKey key) const {
  const auto found = aside_.find(key);
  return found == aside_.end() ? 0 : found->second;
}

void TaskNumbers::widen(std::size_t slots) {
  const std::size_t columns = std::max(first_columns, std::bit_ceil(slots));
  const std::size_t rows = std::max(2 * most_ / columns, std::size_t{1});
  auto* const made = static_cast<Entry*>(std::calloc(rows * columns, sizeof(Entry)));
  if (made == nullptr) throw std::bad_alloc();
  const std::unique_ptr<Entry[], Free> before = std::exchange(entries_, std::unique_ptr<Entry[], Free>(made));
  const std::size_t columns_before = std::exchange(column_count_, columns);
  const std::size_t rows_before = std::min(std::exchange(row_count_, rows), std::size_t{newest_generation_} + 1);
  for (std::size_t i = 0; i < rows_before * columns_before; ++i)
    if (before[i].generation != 0) enter(static_cast<std::uint32_t>(i % columns_before), before[i]);
}

}  // namespace stretto::trace
