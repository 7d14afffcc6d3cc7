#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <stretto/core/device.h>
#include <stretto/core/dtype.h>

namespace stretto::cli {

/// One statement of a random program: a row of the table of statements, and what stands in its places.
struct Statement {
  int row = 0;                       ///< Index in `statement_rows()`.
  int number = 0;                    ///< Its place in the program as it was drawn; kept when others are dropped.
  int thread = 0;                    ///< Which of the program's threads runs it; 0 is the main one.
  int result = -1;                   ///< The variable that is assigned; -1 for none.
  std::array<int, 3> x{-1, -1, -1};  ///< Variables.
  std::array<std::int64_t, 4> n{};   ///< Numbers.
  Device device;
  DType dtype = DType::float32;

  friend bool operator==(const Statement&, const Statement&) = default;
};

/// A program over `variables` tensors t0, t1, ..., none of which is defined at first. Its threads start at every join
/// and run their statements up to the next one.
struct Program {
  std::uint64_t seed = 0;
  std::uint64_t schedule = 0;  ///< The seed of its schedule, where that is deterministic.
  int variables = 0;
  int threads = 1;
  int numbers = 0;  ///< Numbers of statements are below it.
  std::vector<Statement> statements;

  friend bool operator==(const Program&, const Program&) = default;
};

/// Statements between two joins, or before the first, or behind the last: [begin, end) in `Program::statements`.
struct Section {
  std::size_t begin;
  std::size_t end;
};
/// A join belongs to no section.
std::vector<Section> sections_of(const Program& program);

}  // namespace stretto::cli
