#include "engine/task_slab.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include <stretto/base/error.h>

namespace stretto {

TaskSlab::TaskSlab() {
  void* address = mmap(nullptr, std::size_t{capacity} * sizeof(Task), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) throw OutOfMemoryError("no room in the address space for pending tasks (1 GiB is reserved)");
  tasks_ = static_cast<Task*>(address);
}

Task* TaskSlab::take_free() {
  if (Work* list = free_.exchange(nullptr, std::memory_order_acquire)) return static_cast<Task*>(list);
  constexpr std::uint32_t chunk = 64;
  const std::uint32_t first = used_.fetch_add(chunk, std::memory_order_acq_rel);
  if (first + chunk > capacity) {
    used_.fetch_sub(chunk, std::memory_order_acq_rel);
    throw Error("more than " + std::to_string(capacity) + " tasks are pending");
  }
  for (std::uint32_t i = 0; i < chunk; ++i) new (&tasks_[first + i]) Task;
  for (std::uint32_t i = 0; i + 1 < chunk; ++i) tasks_[first + i].next = &tasks_[first + i + 1];
  return &tasks_[first];
}

void TaskSlab::give_back(Task* first, Task* last) {
  Work* head = free_.load(std::memory_order_relaxed);
  do {
    last->next = head;
  } while (!free_.compare_exchange_weak(head, first, std::memory_order_release, std::memory_order_relaxed));
}

}  // namespace stretto
