#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/parameters.h"

namespace stretto {

/// Writes elements first ... first + count - 1 of a draw; `first` is a multiple of 4.
using RandomGenerator = void (*)(const RandomParameters& parameters, std::int64_t first, std::int64_t count,
                                 std::byte* destination);

/// By DType; null where a distribution is not defined.
using GeneratorTable = std::array<RandomGenerator, 8>;

struct RandomTables {
  GeneratorTable uniform;
  GeneratorTable normal;
  GeneratorTable randint;
};

}  // namespace stretto
