#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace stretto::trace {

/// Values by numbers that grow, though not one by one: those of the last so many numbers are kept. A value stays in
/// place until it is forgotten.
template <typename Value>
class NumberWindow {
 public:
  /// Keeps those of `most` numbers: a multiple of 4096.
  explicit NumberWindow(std::size_t most) : most_(most), chunks_(most / chunk_entries) {}

  /// The number's value, or null.
  Value* find(std::uint64_t number) {
    const std::size_t slot = number % most_;
    const auto& chunk = chunks_[slot / chunk_entries];
    if (chunk == nullptr) return nullptr;
    Entry& entry = (*chunk)[slot % chunk_entries];
    return entry.number == number ? &entry.value : nullptr;
  }
  /// The number's value, which is made where there was none: in place of one so many numbers before it, which `forget`
  /// is called with. Null where one so many numbers behind it has the place. `number` is not 0.
  template <typename Forget>
  Value* get(std::uint64_t number, Forget forget) {
    const std::size_t slot = number % most_;
    auto& chunk = chunks_[slot / chunk_entries];
    if (chunk == nullptr) chunk = std::make_unique<std::array<Entry, chunk_entries>>();
    Entry& entry = (*chunk)[slot % chunk_entries];
    if (entry.number > number) return nullptr;
    if (entry.number < number) {
      if (entry.number != 0) {
        forget(entry.value);
        entry.value = Value();
      }
      entry.number = number;
    }
    return &entry.value;
  }

 private:
  struct Entry {
    std::uint64_t number = 0;  ///< 0: none.
    Value value;
  };
  static constexpr std::size_t chunk_entries = 4096;

  const std::size_t most_;
  std::vector<std::unique_ptr<std::array<Entry, chunk_entries>>> chunks_;
};

}  // namespace stretto::trace
