#include "engine/pending_count.h"

#include <stretto/base/error.h>

namespace stretto {

PendingCount::Cell& PendingCount::take_cell() {
  const MutexLock lock(mutex_);
  if (!free_cells_.empty()) {
    Cell* cell = free_cells_.back();
    free_cells_.pop_back();
    return *cell;
  }
  const int index = cell_count_.load(std::memory_order_relaxed);
  if (index == max_cells) throw Error("more than " + std::to_string(max_cells) + " threads run tasks at the same time");
  auto* cell = new Cell;
  cells_[index].store(cell, std::memory_order_release);
  cell_count_.store(index + 1, std::memory_order_release);
  return *cell;
}

void PendingCount::give_back(Cell& cell) {
  const MutexLock lock(mutex_);
  free_cells_.push_back(&cell);
}

std::uint64_t PendingCount::completed(int epoch) const {
  std::uint64_t sum = 0;
  const int count = cell_count_.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i)
    sum += cells_[i].load(std::memory_order_relaxed)->completed[epoch].load(std::memory_order_acquire);
  return sum;
}

std::uint64_t PendingCount::pending(int epoch) const {
  // Completions first: a task that is counted as complete was counted as submitted before.
  const std::uint64_t completions = completed(epoch);
  return submitted_[epoch].load(std::memory_order_relaxed) - completions;
}

void PendingCount::reset() {
  for (int epoch = 0; epoch < 2; ++epoch) {
    submitted_[epoch] = 0;
    const int count = cell_count_.load();
    for (int i = 0; i < count; ++i) cells_[i].load()->completed[epoch] = 0;
  }
}

}  // namespace stretto
