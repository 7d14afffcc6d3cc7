#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace stretto::trace {

/// What one thread has said of its calls: what is the same for all tasks of a line, as words, each at a place by which
/// its tasks name it. So it is said once, and not with each task. For one thread.
class CallPlaces {
 public:
  /// Calls with more words than this are said with each of their tasks.
  static constexpr std::size_t most_words = 22;

  /// The place of a call.
  static std::uint32_t place_of(std::span<const std::uint64_t> words);
  /// Whether it was said last of this place.
  bool has(std::uint32_t place, std::span<const std::uint64_t> words) const;
  /// It is said now.
  void put(std::uint32_t place, std::span<const std::uint64_t> words);
  /// Nothing was said.
  void clear() { counts_.fill(0); }

 private:
  static constexpr int place_bits = 8;
  static constexpr std::size_t place_count = std::size_t{1} << place_bits;

  std::array<std::uint8_t, place_count> counts_{};  ///< Of words; 0 where nothing was said.
  std::array<std::array<std::uint64_t, most_words>, place_count> words_;
};

}  // namespace stretto::trace
