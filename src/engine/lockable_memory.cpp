#include "engine/lockable_memory.h"

#include "engine/devices.h"

namespace stretto {
namespace {

constexpr std::size_t smallest_locked = std::size_t{1} << 20;

}  // namespace

std::atomic<std::size_t> LockableMemory::locked_bytes_{0};

std::byte* LockableMemory::allocate(std::size_t bytes) {
  std::byte* const data = pages_.allocate(bytes);
  if (data != nullptr && bytes >= smallest_locked) lock_pages(data, bytes);
  return data;
}

void LockableMemory::lock_pages(std::byte* data, std::size_t bytes) {
  const DeviceKind kind = devices_.copying_kind();
  if (kind == DeviceKind::cpu) return;
  const std::size_t limit = devices_.copy_memory(kind)->limit() / 2;
  Backend* const backend = devices_.backend(kind);
  if (locked_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes > limit || !backend->lock_pages(data, bytes)) {
    locked_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    return;
  }
  const MutexLock lock(mutex_);
  locked_[data] = backend;
}

void LockableMemory::release(std::byte* data, std::size_t bytes) {
  Backend* backend = nullptr;
  {
    const MutexLock lock(mutex_);
    if (const auto found = locked_.find(data); found != locked_.end()) {
      backend = found->second;
      locked_.erase(found);
    }
  }
  if (backend != nullptr) {
    backend->unlock_pages(data, bytes);
    locked_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  pages_.release(data, bytes);
}

}  // namespace stretto
