#include "backends/sim/sim_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace stretto {
namespace {

constexpr std::size_t alignment = 256;

constexpr std::size_t align(std::size_t bytes) { return (bytes + alignment - 1) & ~(alignment - 1); }

}  // namespace

SimMemory::SimMemory(std::size_t capacity) : capacity_(capacity & ~(alignment - 1)) {}

SimMemory::~SimMemory() {
  const MutexLock lock(mutex_);
  if (arena_ != nullptr) munmap(arena_, capacity_);
}

std::byte* SimMemory::allocate(std::size_t bytes) {
  if (bytes == 0 || bytes > capacity_) return nullptr;
  const MutexLock lock(mutex_);
  if (arena_ == nullptr) {
    // Untouched pages cost nothing, so the whole device can be reserved.
    void* mapped = mmap(nullptr, capacity_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    arena_ = static_cast<std::byte*>(mapped);
    free_.emplace(arena_, capacity_);
  }
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
  std::memset(data, 0xFF, length);
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
