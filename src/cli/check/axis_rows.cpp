#include "cli/check/rules.h"

namespace stretto::cli {
namespace {

Shape without(const Shape& shape, int axis, bool keepdims) {
  Shape result = shape;
  if (keepdims) {
    result[axis] = 1;
  } else {
    result.erase(axis);
  }
  return result;
}

bool reduces(const Places& places, Variable& result) {
  if (!is_axis(places, places.n[0])) return false;
  result.geometry = geometry::contiguous(without(result.shape(), static_cast<int>(places.n[0]), places.n[1] == 1));
  return true;
}
bool totals(const Places& places, Variable& result) {
  if (!is_floating(result.dtype)) result.dtype = DType::int64;
  return reduces(places, result);
}
bool totals_all(const Places&, Variable& result) {
  if (!is_floating(result.dtype)) result.dtype = DType::int64;
  result.geometry = geometry::contiguous({});
  return true;
}
bool reduces_floating(const Places& places, Variable& result) {
  return floating(places, result) && reduces(places, result);
}
bool reduces_to_bool(const Places& places, Variable& result) {
  return reduces(places, result) && becomes_bool(places, result);
}
bool finds(const Places& places, Variable& result) {
  result.dtype = DType::int64;
  return not_bool(places, result) && reduces(places, result);
}

bool scans(const Places& places, Variable& result) {
  if (!is_floating(result.dtype)) result.dtype = DType::int64;
  return is_axis(places, places.n[0]);
}
bool along_axis(const Places& places, Variable&) { return is_axis(places, places.n[0]); }
bool floating_along_axis(const Places& places, Variable& result) {
  return along_axis(places, result) && floating(places, result);
}
bool gradient_along_axis(const Places& places, Variable& result) {
  return floating_along_axis(places, result) && same_types(places, 2) && places.x[0].shape() == places.x[1].shape();
}
bool positions_along_axis(const Places& places, Variable& result) {
  result.dtype = DType::int64;
  return along_axis(places, result);
}
bool takes_some(const Places& places, Variable& result) {
  if (!along_axis(places, result)) return false;
  const int axis = static_cast<int>(places.n[0]);
  if (places.n[2] < 1 || places.n[2] > places.x[0].shape()[axis]) return false;
  Shape shape = places.x[0].shape();
  shape[axis] = places.n[2];
  result.geometry = geometry::contiguous(shape);
  return true;
}
bool triangle(const Places& places, Variable&) { return places.x[0].rank() >= 2; }

}  // namespace

// Rows are long; each is one line.
// clang-format off
std::vector<StatementRow> axis_rows() {
  return {
    {STRETTO_STATEMENT(sum(x0, n0, n1 == 1)), .accesses = "r", .fits = totals, .draw = draw_axis, .weight = 2},
    {STRETTO_STATEMENT(sum(x0)), .accesses = "r", .fits = totals_all, .draw = draw_nothing},
    {STRETTO_STATEMENT(prod(x0, n0, n1 == 1)), .accesses = "r", .fits = totals, .draw = draw_axis, .weight = 0.5},
    {STRETTO_STATEMENT(mean(x0, n0, n1 == 1)), .accesses = "r", .fits = reduces_floating, .draw = draw_axis},
    {STRETTO_STATEMENT(stretto::max(x0, n0, n1 == 1)), .accesses = "r", .fits = reduces, .draw = draw_axis},
    {STRETTO_STATEMENT(stretto::min(x0, n0, n1 == 1)), .accesses = "r", .fits = reduces, .draw = draw_axis},
    {STRETTO_STATEMENT(any(x0, n0, n1 == 1)), .accesses = "r", .fits = reduces_to_bool, .draw = draw_axis, .weight = 0.5},
    {STRETTO_STATEMENT(all(x0, n0, n1 == 1)), .accesses = "r", .fits = reduces_to_bool, .draw = draw_axis, .weight = 0.5},
    {STRETTO_STATEMENT(var(x0, n0, n1 == 1)), .accesses = "r", .fits = reduces_floating, .draw = draw_axis},
    {STRETTO_STATEMENT(stretto::std(x0, n0, n1 == 1)), .accesses = "r", .fits = reduces_floating, .draw = draw_axis},
    {STRETTO_STATEMENT(norm(x0, n0, n1 == 1)), .accesses = "r", .fits = reduces_floating, .draw = draw_axis},
    {STRETTO_STATEMENT(argmax(x0, n0, n1 == 1)), .accesses = "r", .fits = finds, .draw = draw_axis},
    {STRETTO_STATEMENT(argmin(x0, n0, n1 == 1)), .accesses = "r", .fits = finds, .draw = draw_axis},
    {STRETTO_STATEMENT(cumsum(x0, n0)), .accesses = "r", .fits = scans, .draw = draw_axis, .weight = 2},
    {STRETTO_STATEMENT(cumprod(x0, n0)), .accesses = "r", .fits = scans, .draw = draw_axis, .weight = 0.5},
    {STRETTO_STATEMENT(softmax(x0, n0)), .accesses = "r", .fits = floating_along_axis, .draw = draw_axis},
    {STRETTO_STATEMENT(log_softmax(x0, n0)), .accesses = "r", .fits = floating_along_axis, .draw = draw_axis},
    {STRETTO_STATEMENT(softmax_backward(x0, x1, n0)), .accesses = "rr", .fits = gradient_along_axis, .draw = draw_axis},
    {STRETTO_STATEMENT(log_softmax_backward(x0, x1, n0)), .accesses = "rr", .fits = gradient_along_axis, .draw = draw_axis},
    {STRETTO_STATEMENT(stretto::sort(x0, n0, n1 == 1).values), .accesses = "r", .fits = along_axis, .draw = draw_axis},
    {STRETTO_STATEMENT(argsort(x0, n0, n1 == 1)), .accesses = "r", .fits = positions_along_axis, .draw = draw_axis},
    {STRETTO_STATEMENT(topk(x0, n2, n0, n1 == 1).values), .accesses = "r", .fits = takes_some, .draw = draw_axis},
    {STRETTO_STATEMENT(tril(x0, n3)), .accesses = "r", .fits = triangle, .draw = draw_axis, .weight = 0.5},
    {STRETTO_STATEMENT(triu(x0, n3)), .accesses = "r", .fits = triangle, .draw = draw_axis, .weight = 0.5},
  };
}
// clang-format on

}  // namespace stretto::cli
