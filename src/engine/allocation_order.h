#pragma once

#include <atomic>
#include <cstddef>

#include "memory/spin_lock.h"

namespace stretto {

class Buffer;
class MemoryPool;

/// The buffers of one device to which recorded tasks will bind memory, in the order of the program.
///
/// As long as there is room for all of them nobody looks at the order. Near the limit a buffer is bound only if all
/// that come before it in the program still find room: else the results of later statements could take what an earlier
/// one needs, which they wait for. So a program that fits when its statements run one at a time fits in any order.
class AllocationOrder {
 public:
  /// Of a device that can hold `limit` bytes.
  explicit AllocationOrder(std::size_t limit);

  /// Smaller buffers are not kept account of: they are too many to follow, and a small part of the memory is set aside
  /// for them. Where that part would be next to nothing, all are followed.
  bool follows(std::size_t bytes) const { return bytes >= smallest_bytes_; }

  /// Appends a buffer that a task of the program will bind.
  void expect(Buffer& buffer);
  /// The buffer is bound, or will not be. Nothing happens when it was not expected.
  void forget(Buffer& buffer);
  /// Whether `buffer` may take its memory from what is left in `memory`. True for a buffer that is not expected.
  bool admits(const Buffer& buffer, const MemoryPool& memory) const;

  /// Around a fork, and for the child after it.
  void lock_for_fork() STRETTO_NO_THREAD_SAFETY_ANALYSIS { lock_.lock(); }
  void unlock_after_fork() STRETTO_NO_THREAD_SAFETY_ANALYSIS { lock_.unlock(); }
  void forget_all();

 private:
  void remove(Buffer& buffer) STRETTO_REQUIRES(lock_);

  const std::size_t smallest_bytes_;
  const std::size_t set_aside_;
  mutable SpinLock lock_;
  Buffer* first_ STRETTO_GUARDED_BY(lock_) = nullptr;
  Buffer* last_ STRETTO_GUARDED_BY(lock_) = nullptr;
  std::atomic<std::size_t> bytes_{0};  ///< Of all of them.
};

}  // namespace stretto
