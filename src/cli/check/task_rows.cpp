#include "cli/check/rules.h"

namespace stretto::cli {
namespace {

bool is_on_cpu(const Places& places, Variable&) { return places.x[0].device.kind() == DeviceKind::cpu; }
bool is_in_order(const Places& places, Variable& result) { return !is_on_cpu(places, result); }
/// What the bodies of these tasks touch must be in the host's reach.
bool is_in_reach(const Places& places) { return places.x[0].device.kind() != DeviceKind::cuda; }
bool is_in_order_in_reach(const Places& places, Variable& result) {
  return is_in_order(places, result) && is_in_reach(places);
}
bool writable_in_reach(const Places& places, Variable& result) {
  return is_in_reach(places) && writable(places, result);
}
/// A task may not wait for what it writes.
bool computes_inside(const Places& places, Variable& result) {
  return is_on_cpu(places, result) && writable(places, result) && places.x[0].storage != places.x[1].storage;
}

}  // namespace

// Rows are long; each is one line.
// clang-format off
std::vector<StatementRow> task_rows() {
  return {
    {STRETTO_STATEMENT(check::overwrite(x0, n0)), .accesses = "w", .fits = writable_in_reach, .draw = draw_seed, .has_result = false, .weight = 6, .has_body = true},
    {STRETTO_STATEMENT(check::scramble(x0, n0)), .accesses = "u", .fits = writable_in_reach, .draw = draw_seed, .has_result = false, .weight = 6, .has_body = true},
    {STRETTO_STATEMENT(check::blend(x0, x1, x2, n0)), .accesses = "urr", .fits = writable_in_reach, .draw = draw_seed, .has_result = false, .weight = 8, .has_body = true},
    {STRETTO_STATEMENT(check::compute_inside(x0, x1, d0, n0)), .accesses = "ur", .fits = computes_inside, .draw = draw_seed, .has_result = false, .weight = 4, .has_body = true, .replays = false},
    {STRETTO_STATEMENT(check::rewrite(x0, n0)), .accesses = "u", .fits = writable, .draw = draw_seed, .has_result = false, .weight = 5, .has_body = true, .replays = false},
    {STRETTO_STATEMENT(check::fail(x0, n0)), .accesses = "u", .fits = writable, .draw = draw_seed, .has_result = false, .weight = 2, .fails = true, .has_body = true},
    {STRETTO_STATEMENT(book.watch(number, x0)), .accesses = "r", .fits = is_on_cpu, .draw = draw_nothing, .has_result = false, .weight = 3, .has_body = true, .replays = false},
    // What is issued behind a failure in order may run before it is found, on what is not a value.
    {STRETTO_STATEMENT(book.watch(number, x0)), .accesses = "r", .fits = is_in_order_in_reach, .draw = draw_nothing, .has_result = false, .weight = 3, .needs_success = true, .has_body = true, .replays = false},
  };
}
// clang-format on

}  // namespace stretto::cli
