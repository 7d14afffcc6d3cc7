#include "backends/sim/page_locks.h"

#include <iterator>

namespace stretto {

bool PageLocks::lock(std::byte* data, std::size_t bytes) {
  const MutexLock lock(mutex_);
  const auto after = ranges_.lower_bound(data);
  if (after != ranges_.end() && after->first < data + bytes) return false;
  if (after != ranges_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second > data) return false;
  }
  ranges_.emplace(data, bytes);
  return true;
}

void PageLocks::unlock(std::byte* data) {
  const MutexLock lock(mutex_);
  ranges_.erase(data);
}

bool PageLocks::contains(const std::byte* data, std::size_t bytes) const {
  const MutexLock lock(mutex_);
  auto range = ranges_.upper_bound(data);
  if (range == ranges_.begin()) return false;
  --range;
  return data + bytes <= range->first + range->second;
}

}  // namespace stretto
