#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <stretto/core/device.h>
#include <stretto/core/dtype.h>
#include <stretto/core/view_geometry.h>
#include <stretto/tensor/tensor.h>

#include "cli/check/bodies.h"
#include "cli/check/random.h"

namespace stretto::cli {

/// What is known of a variable without running anything.
struct Variable {
  int storage = -1;  ///< Variables of one storage are views of each other; -1 when it is not defined.
  Geometry geometry;
  DType dtype = DType::float32;
  Device device;

  bool defined() const { return storage >= 0; }
  int rank() const { return geometry.shape.rank(); }
  const Shape& shape() const { return geometry.shape; }
};

/// What stands in the places of a row: the tensors as they are before it, and the numbers.
struct Places {
  std::array<Variable, 3> x;
  std::array<std::int64_t, 4> n{};
  Device device;
  DType dtype = DType::float32;
};

/// What a row is called with when it runs. The names are those of the row's text.
struct Call {
  Tensor& x0;
  Tensor& x1;
  Tensor& x2;
  std::int64_t n0, n1, n2, n3;
  Device d0;
  DType t0;
  check::Log& book;
  int number;
};

/// What a program is drawn from.
struct Choices {
  std::span<const Device> devices;
  std::int64_t side;  ///< Most extents are this one.
};

/// One kind of statement. Every operator has one, and every other way to use tensors.
struct StatementRow {
  /// As it is written in a program, with the names of `Call` for what differs.
  std::string_view text;
  Tensor (*run)(Call& call);
  /// What it does with each tensor: 'r' reads it, 'w' overwrites it, 'u' reads and writes it, '-' uses only the handle.
  std::string_view accesses;
  /// Whether it may stand so, and what its result then is: `result` comes as a new contiguous tensor like x[0]. A view
  /// takes the storage of x[0].
  bool (*fits)(const Places& places, Variable& result);
  /// Draws the numbers; tensors, device and type are drawn before.
  void (*draw)(Random& random, const Choices& choices, Places& places);
  bool has_result = true;
  double weight = 1;
  bool fails = false;  ///< It may fail: only in programs with one thread, where it is certain which failure is first.
  bool needs_success = false;  ///< Not in programs where something may fail.
  bool crosses = false;        ///< Its tensors may be on different devices.
  bool is_task = true;         ///< Whether it submits work.
  bool has_body = false;       ///< The work is a body that a person wrote, and no operator's.
  bool waits = false;          ///< The host waits for x[0], or for everything where it has no tensor.
  bool chains = false;         ///< Elementwise, also in place: compiled, several of them may run as one pass.
  bool replays = true;         ///< It may be a part of a compiled function, which is then still replayed.
};

/// All rows; lives as long as the program.
std::span<const StatementRow> statement_rows();
/// The row at which threads are joined, and the one that reads all of a tensor.
int join_row();
int see_row();
/// The row that calls the compiled function n[0] with x[0] and x[1] on a device, and the one that is a function's last.
int call_row();
int return_row();

/// The rows, by family; each in the file of its name.
std::vector<StatementRow> elementwise_rows();
std::vector<StatementRow> axis_rows();
std::vector<StatementRow> matrix_rows();
std::vector<StatementRow> creation_rows();
std::vector<StatementRow> view_rows();
std::vector<StatementRow> in_place_rows();
std::vector<StatementRow> task_rows();
std::vector<StatementRow> host_rows();
std::vector<StatementRow> function_rows();

/// What an expression gave, where that was a tensor.
template <class Work>
Tensor result_of(Work work) {
  if constexpr (std::is_same_v<std::decay_t<std::invoke_result_t<Work>>, Tensor>) {
    return work();
  } else {
    work();
    return {};
  }
}

}  // namespace stretto::cli

/// A row's text and what it does, from one expression: what is printed is what was run.
#define STRETTO_STATEMENT(...)                                                        \
  .text = #__VA_ARGS__, .run = [](::stretto::cli::Call& call) -> ::stretto::Tensor {  \
    [[maybe_unused]] auto& [x0, x1, x2, n0, n1, n2, n3, d0, t0, book, number] = call; \
    return ::stretto::cli::result_of([&] { return __VA_ARGS__; });                    \
  }
