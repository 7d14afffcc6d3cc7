#include "engine/allocation_order.h"

#include "engine/buffer.h"
#include "memory/memory_pool.h"

namespace stretto {

namespace {

constexpr std::size_t small_limit = std::size_t{256} << 20;
constexpr std::size_t small_buffer = std::size_t{16} << 10;

}  // namespace

AllocationOrder::AllocationOrder(std::size_t limit)
    : smallest_bytes_(limit < small_limit ? 0 : small_buffer), set_aside_(limit < small_limit ? 0 : limit / 64) {}

void AllocationOrder::expect(Buffer& buffer) {
  const SpinLockGuard guard(lock_);
  buffer.earlier_ = last_;
  buffer.later_ = nullptr;
  (last_ == nullptr ? first_ : last_->later_) = &buffer;
  last_ = &buffer;
  buffer.expected_ = true;
  bytes_.fetch_add(buffer.bytes(), std::memory_order_relaxed);
}

void AllocationOrder::forget(Buffer& buffer) {
  if (!buffer.expected_) return;
  const SpinLockGuard guard(lock_);
  if (buffer.expected_) remove(buffer);
}

void AllocationOrder::remove(Buffer& buffer) {
  (buffer.earlier_ == nullptr ? first_ : buffer.earlier_->later_) = buffer.later_;
  (buffer.later_ == nullptr ? last_ : buffer.later_->earlier_) = buffer.earlier_;
  buffer.expected_ = false;
  bytes_.fetch_sub(buffer.bytes(), std::memory_order_release);
}

bool AllocationOrder::admits(const Buffer& buffer, const MemoryPool& memory) const {
  if (!buffer.expected_) return true;
  // First what is expected, then what is left: a buffer that is bound meanwhile counts in both, never in neither, with
  // which several later ones would be admitted to the place of an earlier one.
  const std::size_t expected = bytes_.load(std::memory_order_acquire);
  if (expected + set_aside_ <= memory.available()) return true;
  const SpinLockGuard guard(lock_);
  if (first_ == &buffer) return true;
  const std::size_t available = memory.available();
  std::size_t needed = buffer.bytes() + set_aside_;
  for (const Buffer* one = first_; one != &buffer && needed <= available; one = one->later_) needed += one->bytes();
  return needed <= available;
}

void AllocationOrder::forget_all() {
  const SpinLockGuard guard(lock_);
  while (first_ != nullptr) remove(*first_);
}

}  // namespace stretto
