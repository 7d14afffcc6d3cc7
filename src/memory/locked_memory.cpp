#include "memory/locked_memory.h"

namespace stretto {

std::byte* LockedMemory::allocate(std::size_t bytes) {
  if (refused_.load(std::memory_order_relaxed)) return nullptr;
  std::byte* const data = pages_.allocate(bytes);
  if (data == nullptr) return nullptr;
  if (backend_.lock_pages(data, bytes)) return data;
  pages_.release(data, bytes);
  refused_.store(true, std::memory_order_relaxed);
  return nullptr;
}

void LockedMemory::release(std::byte* data, std::size_t bytes) {
  backend_.unlock_pages(data, bytes);
  pages_.release(data, bytes);
  refused_.store(false, std::memory_order_relaxed);
}

}  // namespace stretto
