#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace stretto::cli {

/// Numbers that a seed determines on every machine, unlike those of the standard library's distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// In [low, high].
  std::int64_t draw(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool happens(double part) { return static_cast<double>(engine_() >> 11) * 0x1p-53 < part; }
  template <class List>
  const auto& pick(const List& list) {
    return list[static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(list.size()) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace stretto::cli
