#include "cli/check/rules.h"

namespace stretto::cli {
namespace {

bool has_one(const Places& places, Variable&) { return places.x[0].shape().numel() == 1; }
bool same_shapes(const Places& places, Variable&) { return places.x[0].shape() == places.x[1].shape(); }
bool same_shapes_and_types(const Places& places, Variable& result) {
  return same_shapes(places, result) && same_types(places, 2);
}
bool always(const Places&, Variable&) { return true; }

}  // namespace

// Rows are long; each is one line.
// clang-format off
std::vector<StatementRow> host_rows() {
  return {
    {STRETTO_STATEMENT(book.see(number, x0)), .accesses = "r", .fits = any_tensor, .draw = draw_nothing, .has_result = false, .weight = 3, .is_task = false, .waits = true, .replays = false},
    {STRETTO_STATEMENT(book.see_item(number, x0)), .accesses = "r", .fits = has_one, .draw = draw_nothing, .has_result = false, .weight = 2, .is_task = false, .waits = true, .replays = false},
    {STRETTO_STATEMENT(book.keep(number, x0)), .accesses = "r", .fits = any_tensor, .draw = draw_nothing, .has_result = false, .weight = 2, .is_task = false, .waits = true, .replays = false},
    {STRETTO_STATEMENT(book.wait(number, x0)), .accesses = "r", .fits = any_tensor, .draw = draw_nothing, .has_result = false, .weight = 0.5, .is_task = false, .waits = true, .replays = false},
    {STRETTO_STATEMENT(book.see_equal(number, x0, x1)), .accesses = "rr", .fits = same_shapes_and_types, .draw = draw_nothing, .has_result = false, .weight = 0.3, .waits = true, .replays = false},
    {STRETTO_STATEMENT(book.see_close(number, x0, x1)), .accesses = "rr", .fits = same_shapes, .draw = draw_nothing, .has_result = false, .weight = 0.3, .waits = true, .replays = false},
    {STRETTO_STATEMENT(book.wait_all(number)), .accesses = "", .fits = always, .draw = draw_nothing, .has_result = false, .weight = 0.3, .is_task = false, .waits = true, .replays = false},
    {STRETTO_STATEMENT(book.synchronize(number, d0)), .accesses = "", .fits = always, .draw = draw_nothing, .has_result = false, .weight = 0.3, .is_task = false, .waits = true, .replays = false},
    // The handle alone goes; what uses the tensor goes on.
    {STRETTO_STATEMENT(Tensor()), .accesses = "", .fits = [](const Places&, Variable& result) { result.storage = -1; return true; }, .draw = draw_nothing, .weight = 8, .is_task = false},
    {.text = "join", .run = nullptr, .accesses = "", .fits = always, .draw = draw_seed, .has_result = false, .weight = 0, .is_task = false},
  };
}
// clang-format on

}  // namespace stretto::cli
