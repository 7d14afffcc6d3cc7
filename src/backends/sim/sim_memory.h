#pragma once

#include <cstddef>
#include <map>

#include "backend/backend.h"
#include "base/mutex.h"

namespace stretto {

/// The memory of a simulated device: an address range of its own, taken from the system at the first allocation. What
/// is released is filled with 0xFF (a NaN in every type of float), so that a read after it does not go unnoticed.
class SimMemory : public MemorySource {
 public:
  explicit SimMemory(std::size_t capacity);
  ~SimMemory() override;

  std::byte* allocate(std::size_t bytes) override;
  void release(std::byte* data, std::size_t bytes) override;
  std::size_t capacity() const override { return capacity_; }

 private:
  const std::size_t capacity_;
  Mutex mutex_;
  std::byte* arena_ STRETTO_GUARDED_BY(mutex_) = nullptr;
  std::map<std::byte*, std::size_t> free_ STRETTO_GUARDED_BY(mutex_);  ///< No two ranges touch.
};

}  // namespace stretto
