#pragma once

#include "backend/backend.h"

namespace stretto {

/// Pages of ordinary memory from the system. A page costs nothing before it is touched, and then lies near the core
/// that touched it. From 4 MiB on, huge pages are asked for.
class HostMemory : public MemorySource {
 public:
  HostMemory();

  /// Page-aligned, 2 MiB-aligned from 4 MiB on; zeros. Null when the system refuses.
  std::byte* allocate(std::size_t bytes) override;
  void release(std::byte* data, std::size_t bytes) override;
  /// What the machine has, or the control group allows if that is less.
  std::size_t capacity() const override { return capacity_; }

 private:
  std::size_t capacity_;
};

}  // namespace stretto
