#include "cli/check/rules.h"

namespace stretto::cli {

// Rows are long; each is one line.
// clang-format off
std::vector<StatementRow> function_rows() {
  return {
    // The model knows what a call gives, and the runner how it is made.
    {.text = "call", .run = nullptr, .accesses = "rr", .fits = any_tensor, .draw = draw_nothing, .weight = 0, .replays = false},
    {.text = "return x0", .run = nullptr, .accesses = "-", .fits = any_tensor, .draw = draw_nothing, .has_result = false, .weight = 0, .is_task = false, .replays = false},
  };
}
// clang-format on

}  // namespace stretto::cli
