#include "engine/task_slab.h"

#include <sys/mman.h>

#include <new>
#include <utility>

#include <stretto/base/error.h>

// Where the leak sanitizer is linked in: what tasks own is reached only through their slots, and it does not look into
// mapped memory by itself.
extern "C" [[gnu::weak]] void __lsan_register_root_region(const void* begin, std::size_t bytes);

namespace stretto {
namespace {

constexpr std::uint32_t slots_per_region = 4096;
constexpr std::size_t bytes_of_extensions = 64 << 10;

/// Addresses whose memory is zero, and taken from the system as it is touched.
void* reserve(std::size_t bytes) {
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    throw OutOfMemoryError("no room in the address space for pending tasks (1 GiB is reserved)");
  return address;
}

}  // namespace

TaskSlab::TaskSlab()
    : tasks_(static_cast<Task*>(reserve(std::size_t{capacity} * sizeof(Task)))),
      recorded_(static_cast<RecordedTask*>(reserve(std::size_t{capacity} * sizeof(RecordedTask)))) {
  if (__lsan_register_root_region != nullptr) __lsan_register_root_region(tasks_, slots_per_region * sizeof(Task));
}

FreeSlots* TaskSlab::exchange_for_free(FreeSlots* empty) {
  FreeSlots* returned = nullptr;
  {
    const SpinLockGuard lock(lock_);
    returned = std::exchange(oldest_full_, nullptr);
    newest_full_ = nullptr;
    empty->next = empty_;
    empty_ = empty;
  }
  // All of them at once, not only the batch that is needed: whoever comes after their tasks learns it from the
  // generation, a line of this core, and not from the list of successors, a line of the worker's.
  while (returned != nullptr) {
    for (int i = 0; i < returned->count; ++i) {
      std::uint32_t& generation = recorded_[returned->slots[i]].generation;
      if (++generation == 0) generation = 1;
    }
    FreeSlots* next = std::exchange(returned->next, nullptr);
    (oldest_free_ == nullptr ? oldest_free_ : newest_free_->next) = returned;
    newest_free_ = returned;
    returned = next;
  }
  if (FreeSlots* free = oldest_free_) {
    oldest_free_ = free->next;
    return free;
  }
  return first_use();
}

Extension* TaskSlab::extend(Task& task) {
  // Many at a time: what an allocator keeps beside each would be as large as it is.
  if (next_extension_ == extensions_end_) {
    next_extension_ =
        static_cast<std::byte*>(::operator new(bytes_of_extensions, std::align_val_t{alignof(Extension)}));
    extensions_end_ = next_extension_ + bytes_of_extensions;
  }
  auto* made = new (next_extension_) Extension(task);
  next_extension_ += sizeof(Extension);
  return made;
}

FreeSlots* TaskSlab::first_use() {
  const std::uint32_t first = used_.load(std::memory_order_relaxed);
  if (first + FreeSlots::capacity > capacity)
    throw Error("more than " + std::to_string(capacity) + " tasks are pending");
  if (__lsan_register_root_region != nullptr &&
      first / slots_per_region != (first + FreeSlots::capacity) / slots_per_region)
    __lsan_register_root_region(&tasks_[(first + FreeSlots::capacity) / slots_per_region * slots_per_region],
                                slots_per_region * sizeof(Task));
  FreeSlots* fresh = take_empty();
  // From the highest down: slots are handed out from the back.
  for (int i = 0; i < FreeSlots::capacity; ++i) {
    const std::uint32_t slot = first + FreeSlots::capacity - 1 - i;
    new (&tasks_[slot]) Task;
    recorded_[slot].generation = 1;
    fresh->slots[i] = slot;
  }
  fresh->count = FreeSlots::capacity;
  used_.store(first + FreeSlots::capacity, std::memory_order_release);
  return fresh;
}

FreeSlots* TaskSlab::take_empty() {
  {
    const SpinLockGuard lock(lock_);
    if (FreeSlots* empty = empty_) {
      empty_ = empty->next;
      empty->count = 0;
      empty->next = nullptr;
      return empty;
    }
  }
  return new FreeSlots;
}

FreeSlots* TaskSlab::exchange_for_empty(FreeSlots* full) {
  {
    const SpinLockGuard lock(lock_);
    full->next = nullptr;
    (newest_full_ == nullptr ? oldest_full_ : newest_full_->next) = full;
    newest_full_ = full;
  }
  return take_empty();
}

void TaskSlab::forget_free() {
  const SpinLockGuard lock(lock_);
  oldest_full_ = newest_full_ = oldest_free_ = newest_free_ = nullptr;
}

}  // namespace stretto
