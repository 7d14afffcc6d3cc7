#pragma once

#include <atomic>
#include <cstddef>
#include <map>

#include "backend/backend.h"
#include "base/mutex.h"

namespace stretto {

class DeviceTable;

/// Memory of the CPU, of which large pieces that are taken while GPUs are in use are page-locked: what the CPU writes
/// there may be copied to a GPU, which is faster then. Up to half of what copies to the host may lock is locked so
/// besides. Any thread.
class LockableMemory final : public MemorySource {
 public:
  /// Both must outlive this.
  LockableMemory(MemorySource& pages, DeviceTable& devices) : pages_(pages), devices_(devices) {}

  std::byte* allocate(std::size_t bytes) override;
  void release(std::byte* data, std::size_t bytes) override;
  std::size_t capacity() const override { return pages_.capacity(); }

 private:
  void lock_pages(std::byte* data, std::size_t bytes);

  MemorySource& pages_;
  DeviceTable& devices_;
  Mutex mutex_;
  std::map<std::byte*, Backend*> locked_ STRETTO_GUARDED_BY(mutex_);  ///< Who locked a piece.
  static std::atomic<std::size_t> locked_bytes_;                      ///< Of all CPU devices together.
};

}  // namespace stretto
