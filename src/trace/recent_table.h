#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace stretto::trace {

/// Values by keys, of which so many are kept as were met last. They lie in the order in which they were met, so that
/// neighbours in time are neighbours in memory, and stay in place until they are forgotten.
template <typename Value>
class RecentTable {
 public:
  /// Keeps `most` values: a power of two, 4096 to 2^20.
  explicit RecentTable(std::size_t most) : most_(most) {}

  /// The key's value, or null.
  Value* find(std::uint64_t key) {
    if (index_.empty()) return nullptr;
    const std::uint64_t mixed = mix(key);
    for (std::size_t i = home(mixed); index_[i] != 0; i = next(i)) {
      if (index_[i] >> position_bits != tag(mixed)) continue;
      Entry& entry = at(position(index_[i]));
      if (entry.key == key) return &entry.value;
    }
    return nullptr;
  }
  /// The key's value, which is made where there was none: in place of the oldest, which `forget` is called with.
  template <typename Forget>
  Value& get(std::uint64_t key, Forget forget) {
    if (Value* const known = find(key)) return *known;
    const std::size_t slot = met_ % most_;
    if (met_ >= most_) {
      Entry& oldest = at(slot);
      forget(oldest.value);
      oldest.value = Value();
      take_out(slot);
    } else if (slot % chunk_entries == 0) {
      chunks_.push_back(std::make_unique<std::array<Entry, chunk_entries>>());
      if (2 * (met_ + chunk_entries) > index_.size()) grow();
    }
    ++met_;
    Entry& entry = at(slot);
    entry.key = key;
    put(key, slot);
    return entry.value;
  }

 private:
  struct Entry {
    std::uint64_t key = 0;
    Value value;
  };
  static constexpr std::size_t chunk_entries = 4096;
  // A place of the index: a position and 1, 0 where there is none, and besides some bits of the key, which mostly tell
  // that it is another one without a look at the entry.
  static constexpr int position_bits = 21;

  Entry& at(std::size_t position) { return (*chunks_[position / chunk_entries])[position % chunk_entries]; }
  static std::size_t position(std::uint32_t place) { return (place & ((1u << position_bits) - 1)) - 1; }
  static std::uint64_t mix(std::uint64_t key) {
    key *= 0x9e3779b97f4a7c15;
    return key ^ key >> 32;
  }
  static std::uint32_t tag(std::uint64_t mixed) { return static_cast<std::uint32_t>(mixed >> (32 + position_bits)); }
  std::size_t home(std::uint64_t mixed) const { return mixed & (index_.size() - 1); }
  std::size_t next(std::size_t i) const { return (i + 1) & (index_.size() - 1); }

  void put(std::uint64_t key, std::size_t position) {
    const std::uint64_t mixed = mix(key);
    std::size_t i = home(mixed);
    while (index_[i] != 0) i = next(i);
    index_[i] = tag(mixed) << position_bits | static_cast<std::uint32_t>(position + 1);
  }

  void take_out(std::size_t position_of_oldest) {
    std::size_t hole = home(mix(at(position_of_oldest).key));
    while (position(index_[hole]) != position_of_oldest) hole = next(hole);
    // Who was put behind it because it was in the way moves up.
    for (std::size_t i = next(hole); index_[i] != 0; i = next(i)) {
      const std::size_t wanted = home(mix(at(position(index_[i])).key));
      if (((i - wanted) & (index_.size() - 1)) < ((i - hole) & (index_.size() - 1))) continue;
      index_[hole] = index_[i];
      hole = i;
    }
    index_[hole] = 0;
  }

  /// Before anything of the newest chunk is put in.
  void grow() {
    index_.assign(index_.empty() ? 4 * chunk_entries : 2 * index_.size(), 0);
    for (std::size_t position = 0; position < met_; ++position) put(at(position).key, position);
  }

  const std::size_t most_;
  std::size_t met_ = 0;
  std::vector<std::unique_ptr<std::array<Entry, chunk_entries>>> chunks_;
  std::vector<std::uint32_t> index_;  ///< Half of it at most is taken.
};

}  // namespace stretto::trace
