#pragma once

#include <atomic>

#include "backend/backend.h"

namespace stretto {

/// Memory of the host whose pages are locked for the devices of one backend.
class LockedMemory final : public MemorySource {
 public:
  /// Both must outlive this.
  LockedMemory(MemorySource& pages, Backend& backend) : pages_(pages), backend_(backend) {}

  /// Null also where the backend locks no more. Then it is not asked again before something is released: asking is
  /// slow.
  std::byte* allocate(std::size_t bytes) override;
  void release(std::byte* data, std::size_t bytes) override;
  std::size_t capacity() const override { return pages_.capacity(); }

 private:
  MemorySource& pages_;
  Backend& backend_;
  std::atomic<bool> refused_{false};
};

}  // namespace stretto
