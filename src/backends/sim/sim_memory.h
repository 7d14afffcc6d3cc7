#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>

#include "backend/backend.h"
#include "base/mutex.h"

namespace stretto {

/// How a device's memory behaves.
struct SimMemoryOptions {
  bool protect = false;            ///< See SimProtection.
  bool poison = true;              ///< Fills what is released with 0xFF.
  std::uint64_t no_memory_at = 0;  ///< The count-th allocation finds none; 0 is never.
};

/// The memory of a simulated device: an address range of its own, taken from the system at the first allocation. What
/// is released is filled with 0xFF (a NaN in every type of float), so that a read after it does not go unnoticed.
class SimMemory : public MemorySource {
 public:
  explicit SimMemory(std::size_t capacity, SimMemoryOptions options = {});
  ~SimMemory() override;

  std::byte* allocate(std::size_t bytes) override;
  void release(std::byte* data, std::size_t bytes) override;
  std::size_t capacity() const override { return capacity_; }

  /// Whether the address lies in the device. Any thread.
  bool contains(const std::byte* address) const {
    const std::byte* const begin = arena_.load(std::memory_order_acquire);
    return begin != nullptr && address >= begin && address < begin + capacity_;
  }

 private:
  bool map() STRETTO_REQUIRES(mutex_);

  const std::size_t capacity_;
  const SimMemoryOptions options_;
  std::atomic<std::byte*> arena_{nullptr};
  Mutex mutex_;
  std::uint64_t allocations_ STRETTO_GUARDED_BY(mutex_) = 0;
  std::map<std::byte*, std::size_t> free_ STRETTO_GUARDED_BY(mutex_);  ///< No two ranges touch.
};

}  // namespace stretto
