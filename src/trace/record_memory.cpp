#include "trace/record_memory.h"

#include <sys/mman.h>

#include <bitset>

namespace stretto::trace {
namespace {

constexpr std::uint64_t number_mask = 0xffffffff;

/// What comes in place of `old`: the same one step later, with another piece in front.
constexpr std::uint64_t step(std::uint64_t old, std::uint32_t piece) { return ((old >> 32) + 1) << 32 | piece; }

}  // namespace

std::byte* RecordMemory::first() {
  std::byte* known = first_.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  constexpr std::size_t mapped_bytes = reserved_bytes + area_bytes;
  void* const mapped =
      mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  const std::size_t skipped = (area_bytes - reinterpret_cast<std::uintptr_t>(mapped) % area_bytes) % area_bytes;
  std::byte* const made = static_cast<std::byte*>(mapped) + skipped;
  madvise(made, reserved_bytes, MADV_HUGEPAGE);
  if (first_.compare_exchange_strong(known, made, std::memory_order_acq_rel)) return made;
  munmap(mapped, mapped_bytes);
  return known;
}

std::byte* RecordMemory::take() {
  std::byte* const begin = first();
  if (begin == nullptr) return nullptr;
  std::uint32_t number = 0;
  std::uint64_t top = free_.load(std::memory_order_acquire);
  while ((top & number_mask) != 0) {
    number = static_cast<std::uint32_t>(top & number_mask) - 1;
    const std::uint32_t behind = next_[number].load(std::memory_order_relaxed);
    if (free_.compare_exchange_weak(top, step(top, behind), std::memory_order_acquire)) break;
  }
  if ((top & number_mask) == 0) {
    number = used_.load(std::memory_order_relaxed);
    do {
      if (number == piece_count) return nullptr;
    } while (!used_.compare_exchange_weak(number, number + 1, std::memory_order_relaxed));
  }
  note_memory(number + 1);
  return begin + number * piece_bytes;
}

void RecordMemory::give_back(std::byte* piece) {
  const auto number = static_cast<std::uint32_t>(
      static_cast<std::size_t>(piece - first_.load(std::memory_order_relaxed)) / piece_bytes);
  put(number, number);
}

void RecordMemory::note_memory(std::uint32_t pieces) {
  std::uint32_t noted = with_memory_.load(std::memory_order_relaxed);
  while (pieces > noted && !with_memory_.compare_exchange_weak(noted, pieces, std::memory_order_relaxed)) {
  }
}

void RecordMemory::put(std::uint32_t first, std::uint32_t last) {
  std::uint64_t top = free_.load(std::memory_order_relaxed);
  do {
    next_[last].store(static_cast<std::uint32_t>(top & number_mask), std::memory_order_relaxed);
  } while (!free_.compare_exchange_weak(top, step(top, first + 1), std::memory_order_release));
}

void RecordMemory::trim(std::size_t kept_bytes) {
  const std::size_t kept = kept_bytes / piece_bytes;
  if (with_memory_.load(std::memory_order_relaxed) <= kept) return;
  const std::size_t end = with_memory_.exchange(static_cast<std::uint32_t>(kept), std::memory_order_relaxed);
  // All that are free are taken first, so that nobody writes where memory is given back.
  std::uint64_t top = free_.load(std::memory_order_relaxed);
  while (!free_.compare_exchange_weak(top, step(top, 0), std::memory_order_acquire)) {
  }
  std::bitset<piece_count> is_free;
  for (std::uint64_t i = top & number_mask; i != 0; i = next_[i - 1].load(std::memory_order_relaxed))
    is_free.set(i - 1);
  std::byte* const begin = first_.load(std::memory_order_relaxed);
  std::uint32_t in_use = 0;
  for (std::size_t area = kept; area < end; area += pieces_of_area) {
    std::size_t free = 0;
    while (free < pieces_of_area && is_free[area + free]) ++free;
    if (free == pieces_of_area) {
      madvise(begin + area * piece_bytes, area_bytes, MADV_DONTNEED);
    } else {
      in_use = static_cast<std::uint32_t>(area + pieces_of_area);
    }
  }
  note_memory(in_use);
  // From here on the first ones are taken first, so that others come to be free as a whole.
  std::uint32_t front = 0, last = 0;
  for (std::size_t i = piece_count; i-- > 0;) {
    if (!is_free[i]) continue;
    if (front == 0) last = static_cast<std::uint32_t>(i);
    if (front != 0) next_[i].store(front, std::memory_order_relaxed);
    front = static_cast<std::uint32_t>(i) + 1;
  }
  if (front != 0) put(front - 1, last);
}

void RecordMemory::forget() {
  used_.store(0, std::memory_order_relaxed);
  free_.store(0, std::memory_order_relaxed);
  with_memory_.store(0, std::memory_order_relaxed);
}

}  // namespace stretto::trace
