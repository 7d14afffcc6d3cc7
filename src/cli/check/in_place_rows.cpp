#include "cli/check/rules.h"

namespace stretto::cli {
namespace {

bool subtracts_in_place(const Places& places, Variable& result) {
  return in_place(places, result) && places.x[0].dtype != DType::bool_ && places.x[1].dtype != DType::bool_;
}
bool divides_in_place(const Places& places, Variable& result) {
  return in_place(places, result) && is_floating(places.x[0].dtype);
}
bool copies_row(const Places& places, Variable&) {
  const Variable& x = places.x[0];
  if (x.rank() < 1 || places.n[0] < 0 || places.n[0] >= x.shape()[0] || !distinct(x)) return false;
  Shape row = x.shape();
  row.erase(0);
  return broadcasts_to(places.x[1].shape(), row);
}
bool moves_rows(const Places& places, Variable&) {
  return places.x[0].rank() >= 1 && places.x[0].shape()[0] > 1 && distinct(places.x[0]);
}
bool adds_transposed(const Places& places, Variable&) {
  const Variable& x = places.x[0];
  return x.rank() == 2 && x.shape()[0] == x.shape()[1] && distinct(x);
}
bool scales_in_place(const Places& places, Variable& result) {
  return is_floating(places.x[0].dtype) && writable(places, result);
}
bool fills(const Places& places, Variable& result) { return places.n[2] >= 0 && writable(places, result); }

}  // namespace

// Rows are long; each is one line.
// clang-format off
std::vector<StatementRow> in_place_rows() {
  std::vector<StatementRow> rows = {
    {STRETTO_STATEMENT(x0.copy_(x1)), .accesses = "wr", .fits = copied_in_place, .draw = draw_nothing, .has_result = false, .weight = 12, .crosses = true},
    {STRETTO_STATEMENT(x0[n0] = x1), .accesses = "ur", .fits = copies_row, .draw = draw_axis, .has_result = false, .weight = 3, .crosses = true},
    {STRETTO_STATEMENT(x0 += x1), .accesses = "ur", .fits = in_place, .draw = draw_nothing, .has_result = false, .weight = 8},
    {STRETTO_STATEMENT(x0 -= x1), .accesses = "ur", .fits = subtracts_in_place, .draw = draw_nothing, .has_result = false, .weight = 4},
    {STRETTO_STATEMENT(x0 *= x1), .accesses = "ur", .fits = in_place, .draw = draw_nothing, .has_result = false, .weight = 3},
    {STRETTO_STATEMENT(x0 /= x1), .accesses = "ur", .fits = divides_in_place, .draw = draw_nothing, .has_result = false},
    {STRETTO_STATEMENT(x0 *= n3 * 0.5), .accesses = "u", .fits = scales_in_place, .draw = draw_axis, .has_result = false, .weight = 2},
    {STRETTO_STATEMENT(x0 += x0.t()), .accesses = "u", .fits = adds_transposed, .draw = draw_nothing, .has_result = false, .weight = 2},
    {STRETTO_STATEMENT(x0.slice(0, 1) = x0.slice(0, 0, -1)), .accesses = "u", .fits = moves_rows, .draw = draw_nothing, .has_result = false, .weight = 2},
    {STRETTO_STATEMENT(x0.fill_(n2)), .accesses = "w", .fits = fills, .draw = draw_axis, .has_result = false, .weight = 3},
    {STRETTO_STATEMENT(x0.zero_()), .accesses = "w", .fits = writable, .draw = draw_nothing, .has_result = false},
  };
  for (StatementRow& row : rows) row.chains = true;
  return rows;
}
// clang-format on

}  // namespace stretto::cli
