#include "backends/sim/sim_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "backends/sim/sim_protection.h"

namespace stretto {
namespace {

constexpr std::size_t alignment = 256;

constexpr std::size_t align(std::size_t bytes) { return (bytes + alignment - 1) & ~(alignment - 1); }

}  // namespace

SimMemory::SimMemory(std::size_t capacity, SimMemoryOptions options)
    : capacity_(capacity & ~(alignment - 1)), options_(options) {}

SimMemory::~SimMemory() {
  if (std::byte* const arena = arena_.load()) munmap(arena, capacity_);
}

bool SimMemory::map() {
  // Untouched pages cost nothing, so the whole device can be reserved.
  void* mapped = mmap(nullptr, capacity_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return false;
  auto* const arena = static_cast<std::byte*>(mapped);
  if (options_.protect) sim_protection::protect(arena, capacity_);
  free_.emplace(arena, capacity_);
  arena_.store(arena, std::memory_order_release);
  return true;
}

std::byte* SimMemory::allocate(std::size_t bytes) {
  if (bytes == 0 || bytes > capacity_) return nullptr;
  const MutexLock lock(mutex_);
  if (++allocations_ == options_.no_memory_at) return nullptr;
  if (arena_.load(std::memory_order_relaxed) == nullptr && !map()) return nullptr;
  const std::size_t length = align(bytes);
  const auto range = std::ranges::find_if(free_, [length](const auto& entry) { return entry.second >= length; });
  if (range == free_.end()) return nullptr;
  const auto [data, available] = *range;
  free_.erase(range);
  if (available > length) free_.emplace(data + length, available - length);
  return data;
}

void SimMemory::release(std::byte* data, std::size_t bytes) {
  std::size_t length = align(bytes);
  if (options_.poison) {
    const SimAccess access;
    std::memset(data, 0xFF, length);
  }
  const MutexLock lock(mutex_);
  const auto after = free_.lower_bound(data);
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == data) {
      data = before->first;
      length += before->second;
      free_.erase(before);
    }
  }
  if (after != free_.end() && data + length == after->first) {
    length += after->second;
    free_.erase(after);
  }
  free_.emplace(data, length);
}

}  // namespace stretto
