#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace stretto {

// The structs that operators hand to kernels inside `Parameters`, one for each kernel family that needs any.

/// "arange": element i is start + i * step, computed in float64 for floating outputs and in int64 otherwise.
struct ArangeParameters {
  double start;
  double step;
  std::int64_t integer_start;
  std::int64_t integer_step;
};

/// "linspace": element i is start + i * step for the first half and end - (count - 1 - i) * step for the second.
struct LinspaceParameters {
  double start;
  double end;
  double step;
};

/// "uniform", "normal", "randint": counter-based (Philox 4x32-10). Element i of the draw depends on (key, draw, i)
/// alone. `low`, `high` for uniform and randint; mean and standard deviation for normal.
struct RandomParameters {
  std::uint64_t key;
  std::uint64_t draw;
  double low;
  double high;
  std::int64_t integer_low;
  std::int64_t integer_high;
};

/// "argmax", "argmin", "cumsum", "cumprod", "sort", "softmax", "log_softmax", "gather", "index_select", "index_add".
struct AxisParameters {
  std::int64_t axis;
  bool descending;                        // "sort", and "topk": largest first
  std::array<std::byte, 7> padding = {};  // Zeros: parameters are compared byte by byte.
};

/// "var": the divisor is count - correction.
struct VarianceParameters {
  double correction;
};

/// "matmul", "matmul_relu_backward".
struct MatmulParameters {
  bool reduced =
      false;  ///< float32 factors may be rounded to 10 bits of fraction (TF32), where the device is faster then.
};

/// "addmm", "addmm_relu": beta * inputs[0] + alpha * (inputs[1] @ inputs[2]).
struct AddmmParameters {
  double alpha;
  double beta;
  bool reduced = false;                   ///< As for "matmul".
  std::array<std::byte, 7> padding = {};  ///< Zeros: parameters are compared byte by byte.
};

/// "tril", "triu": elements with column - row compared against `diagonal` in the last two axes.
struct TriangleParameters {
  std::int64_t diagonal;
};

}  // namespace stretto
