#pragma once

#include <cstdint>

namespace stretto {

// The random numbers of every device: Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// 2011).
//
// Block b of a draw is philox(key, draw, b), four words of 32 bits. Element i of the draw takes
//   - word i % 4 of block i / 4 where 32 bits are enough: uniform of float32, float16 and bfloat16;
//   - words 2 (i % 2) and 2 (i % 2) + 1 of block i / 2, lower half first, where it needs 64: uniform of float64,
//   randint;
//   - elements 2p and 2p + 1 of normal share two numbers, u = unit_above_zero and v = unit: they are r cos(2 pi v) and
//     r sin(2 pi v) with r = sqrt(-2 ln u). float64 makes u and v of the lower and upper 64 bits of block p; the others
//     of words 2 (p % 2) and 2 (p % 2) + 1 of block p / 2.

struct PhiloxBlock {
  std::uint32_t words[4];

  constexpr std::uint64_t wide(int half) const {
    return words[2 * half] | static_cast<std::uint64_t>(words[2 * half + 1]) << 32;
  }
};

inline constexpr int philox_rounds = 10;
inline constexpr std::uint32_t philox_multipliers[2] = {0xD2511F53, 0xCD9E8D57};
inline constexpr std::uint32_t philox_key_steps[2] = {0x9E3779B9, 0xBB67AE85};

/// One round. `key0` and `key1` are the key's halves plus the number of the round times the key steps.
constexpr PhiloxBlock philox_round(PhiloxBlock x, std::uint32_t key0, std::uint32_t key1) {
  // As numbers: a GPU does not see an array of the host.
  constexpr std::uint64_t first_multiplier = philox_multipliers[0], second_multiplier = philox_multipliers[1];
  const std::uint64_t first = first_multiplier * x.words[0];
  const std::uint64_t second = second_multiplier * x.words[2];
  return {static_cast<std::uint32_t>(second >> 32) ^ x.words[1] ^ key0, static_cast<std::uint32_t>(second),
          static_cast<std::uint32_t>(first >> 32) ^ x.words[3] ^ key1, static_cast<std::uint32_t>(first)};
}

/// The counter is (block, draw), lower halves first.
constexpr PhiloxBlock philox(std::uint64_t key, std::uint64_t draw, std::uint64_t block) {
  PhiloxBlock x{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                static_cast<std::uint32_t>(draw), static_cast<std::uint32_t>(draw >> 32)};
  constexpr std::uint32_t first_step = philox_key_steps[0], second_step = philox_key_steps[1];
  std::uint32_t key0 = static_cast<std::uint32_t>(key);
  std::uint32_t key1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < philox_rounds; ++round) {
    x = philox_round(x, key0, key1);
    key0 += first_step;
    key1 += second_step;
  }
  return x;
}

/// The upper `digits` bits as a multiple of 2^-digits in [0, 1): so many as the element type has, that it is exact
/// there.
template <int digits>
constexpr double unit(std::uint32_t bits) {
  return static_cast<double>(bits >> (32 - digits)) / static_cast<double>(std::uint64_t{1} << digits);
}
constexpr double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

/// In (0, 1].
constexpr double unit_above_zero(std::uint32_t bits) { return (static_cast<double>(bits) + 1) * 0x1p-32; }
constexpr double unit_above_zero(std::uint64_t bits) { return static_cast<double>((bits >> 11) + 1) * 0x1p-53; }

}  // namespace stretto
