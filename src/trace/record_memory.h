#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace stretto::trace {

/// What records lie in until they are read: pieces of one run of addresses, in huge pages where the system has them, so
/// that a thread meets a fresh page once in thousands of tasks. What was given back last is taken first, as it is in a
/// cache. Any thread takes and gives back, and none waits for another: the one that gives back runs where nobody else
/// would, and might hold a lock for long.
class RecordMemory {
 public:
  static constexpr std::size_t piece_bytes = std::size_t{64} << 10;
  /// Of addresses: memory stands behind as much of them as was taken at once, until `trim`.
  static constexpr std::size_t reserved_bytes = std::size_t{512} << 20;

  constexpr RecordMemory() = default;
  RecordMemory(const RecordMemory&) = delete;
  RecordMemory& operator=(const RecordMemory&) = delete;

  /// Null where all are taken, or the system has no room for them.
  std::byte* take();
  void give_back(std::byte* piece);
  /// Whether it is one of these.
  bool has(const void* address) const {
    const std::byte* const first = first_.load(std::memory_order_relaxed);
    return first != nullptr && address >= first && address < first + reserved_bytes;
  }
  /// Gives memory back to the system that nobody has, in whole huge pages, but for the first `kept_bytes`: a multiple
  /// of their size. By one thread at a time.
  void trim(std::size_t kept_bytes);
  /// Nobody has any: in the child after a fork, whose only thread calls it.
  void forget();

 private:
  static constexpr std::size_t piece_count = reserved_bytes / piece_bytes;
  static constexpr std::size_t area_bytes = std::size_t{2} << 20;  ///< A huge page.
  static constexpr std::size_t pieces_of_area = area_bytes / piece_bytes;

  /// The run of addresses; null where there is none.
  std::byte* first();
  /// There may be memory behind so many pieces from the first on.
  void note_memory(std::uint32_t pieces);
  /// Has pieces in front of those that are free: a list from the first to the last.
  void put(std::uint32_t first, std::uint32_t last);

  std::atomic<std::byte*> first_{nullptr};
  std::atomic<std::uint32_t> used_{0};  ///< Pieces from the first on that were ever taken.
  /// The piece that was given back last, as its number and 1, 0 for none; above it a number that is another one after
  /// each change, so that what was looked at is not taken for what has come to look like it.
  std::atomic<std::uint64_t> free_{0};
  std::array<std::atomic<std::uint32_t>, piece_count> next_{};  ///< Behind each in that list, the same way.
  std::atomic<std::uint32_t> with_memory_{0};  ///< Pieces from the first on that there may be memory behind.
};

}  // namespace stretto::trace
