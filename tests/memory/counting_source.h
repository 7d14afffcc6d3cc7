#pragma once

#include <cstddef>
#include <cstdlib>
#include <map>

#include "backend/backend.h"
#include "base/mutex.h"

namespace stretto {

/// Host memory of a set capacity that knows what it gave out and counts what does not match.
class CountingSource : public MemorySource {
 public:
  explicit CountingSource(std::size_t capacity) : capacity_(capacity) {}
  ~CountingSource() override {
    for (const auto& [data, bytes] : given_) std::free(data);
  }

  std::byte* allocate(std::size_t bytes) override {
    const MutexLock lock(mutex_);
    if (bytes > capacity_ - outstanding_) return nullptr;
    auto* data = static_cast<std::byte*>(std::aligned_alloc(64, bytes));
    if (data == nullptr) return nullptr;
    given_[data] = bytes;
    outstanding_ += bytes;
    return data;
  }
  void release(std::byte* data, std::size_t bytes) override {
    const MutexLock lock(mutex_);
    const auto entry = given_.find(data);
    if (entry == given_.end() || entry->second != bytes) {
      ++mismatches_;
      return;
    }
    given_.erase(entry);
    outstanding_ -= bytes;
    std::free(data);
  }
  std::size_t capacity() const override { return capacity_; }

  std::size_t outstanding() const {
    const MutexLock lock(mutex_);
    return outstanding_;
  }
  /// Releases of what was not given out, or with another size.
  int mismatches() const {
    const MutexLock lock(mutex_);
    return mismatches_;
  }

 private:
  const std::size_t capacity_;
  mutable Mutex mutex_;
  std::map<std::byte*, std::size_t> given_ STRETTO_GUARDED_BY(mutex_);
  std::size_t outstanding_ STRETTO_GUARDED_BY(mutex_) = 0;
  int mismatches_ STRETTO_GUARDED_BY(mutex_) = 0;
};

}  // namespace stretto
