#include "trace/call_places.h"

#include <algorithm>
#include <bit>

namespace stretto::trace {

std::uint32_t CallPlaces::place_of(std::span<const std::uint64_t> words) {
  std::uint64_t mixed = 0;
  for (const std::uint64_t word : words) mixed = std::rotl(mixed, 5) ^ word;
  return static_cast<std::uint32_t>(mixed * 0x9e3779b97f4a7c15 >> (64 - place_bits));
}

bool CallPlaces::has(std::uint32_t place, std::span<const std::uint64_t> words) const {
  if (counts_[place] != words.size()) return false;
  // They are few and mostly the same: no function is called, and none is looked at by itself.
  std::uint64_t different = 0;
  for (std::size_t i = 0; i < words.size(); ++i) different |= words[i] ^ words_[place][i];
  return different == 0;
}

void CallPlaces::put(std::uint32_t place, std::span<const std::uint64_t> words) {
  if (words.size() > most_words) {
    counts_[place] = 0;
    return;
  }
  std::ranges::copy(words, words_[place].begin());
  counts_[place] = static_cast<std::uint8_t>(words.size());
}

}  // namespace stretto::trace
