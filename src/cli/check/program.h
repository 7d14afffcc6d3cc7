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
  int function = -1;                 ///< Which compiled function it is a part of; -1 for none.
  int result = -1;                   ///< The variable that is assigned; -1 for none.
  std::array<int, 3> x{-1, -1, -1};  ///< Variables. In a function those from `Program::variables` on are its own.
  std::array<std::int64_t, 4> n{};   ///< Numbers.
  Device device;
  DType dtype = DType::float32;

  friend bool operator==(const Statement&, const Statement&) = default;
};

/// Variables u[0], u[1], ... of a compiled function. It is called with the first of them.
inline constexpr int local_count = 6;
inline constexpr int argument_count = 2;

/// A program over `variables` tensors t0, t1, ..., none of which is defined at first. Its threads start at every join
/// and run their statements up to the next one. The statements of a compiled function stand somewhere in front of its
/// first call, and run in its calls.
struct Program {
  std::uint64_t seed = 0;
  std::uint64_t schedule = 0;  ///< The seed of its schedule, where that is deterministic.
  int variables = 0;
  int functions = 0;
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
