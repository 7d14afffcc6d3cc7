#include "cli/check/rules.h"

namespace stretto::cli {
namespace {

/// A new tensor of the places' device and type.
bool created(const Places& places, Variable& result, const Shape& shape) {
  for (const std::int64_t extent : shape) {
    if (extent < 1) return false;
  }
  result.geometry = geometry::contiguous(shape);
  result.dtype = places.dtype;
  result.device = places.device;
  return true;
}

bool matrix(const Places& places, Variable& result) {
  return places.n[0] > 0 && places.n[1] > 0 && created(places, result, {places.n[0], places.n[1]});
}
bool vector(const Places& places, Variable& result) {
  return places.n[0] > 0 && created(places, result, {places.n[0]});
}
bool number(const Places& places, Variable& result) { return created(places, result, {}); }
bool floating_matrix(const Places& places, Variable& result) {
  return is_floating(places.dtype) && matrix(places, result);
}
bool floating_vector(const Places& places, Variable& result) {
  return is_floating(places.dtype) && vector(places, result);
}
bool integer_matrix(const Places& places, Variable& result) {
  return is_integral(places.dtype) && matrix(places, result);
}
bool integer_vector(const Places& places, Variable& result) {
  return is_integral(places.dtype) && vector(places, result);
}
/// Twice as many rows.
bool signed_integer_matrix(const Places& places, Variable& result) {
  return places.dtype != DType::uint8 && integer_matrix(places, result) &&
         created(places, result, {2 * places.n[0], places.n[1]});
}
bool number_vector(const Places& places, Variable& result) {
  return places.dtype != DType::bool_ && vector(places, result);
}
bool cast(const Places& places, Variable& result) {
  result.dtype = places.dtype;
  return places.dtype != places.x[0].dtype;
}
bool moved(const Places& places, Variable& result) {
  result.device = places.device;
  return places.device != places.x[0].device;
}
bool uncopied(const Places& places, Variable&) {
  return !is_contiguous(places.x[0].shape(), places.x[0].geometry.strides);
}

}  // namespace

// Rows are long; each is one line.
// clang-format off
std::vector<StatementRow> creation_rows() {
  return {
    {STRETTO_STATEMENT(full({n0, n1}, n2, d0, t0)), .accesses = "", .fits = matrix, .draw = draw_shape},
    {STRETTO_STATEMENT(zeros({n0}, d0, t0)), .accesses = "", .fits = vector, .draw = draw_shape, .weight = 0.5},
    {STRETTO_STATEMENT(ones({n0, n1}, d0, t0)), .accesses = "", .fits = matrix, .draw = draw_shape, .weight = 0.5},
    {STRETTO_STATEMENT(arange(0, n0, 1, d0, t0)), .accesses = "", .fits = number_vector, .draw = draw_shape},
    {STRETTO_STATEMENT(linspace(-3, 3, n0, d0, t0)), .accesses = "", .fits = floating_vector, .draw = draw_shape, .weight = 0.5},
    {STRETTO_STATEMENT(eye(n0, n1, d0, t0)), .accesses = "", .fits = matrix, .draw = draw_shape, .weight = 0.5},
    {STRETTO_STATEMENT(check::drawn(n3, {n0, n1}, d0, t0)), .accesses = "", .fits = floating_matrix, .draw = draw_shape, .weight = 4, .replays = false},
    {STRETTO_STATEMENT(check::drawn(n3, {n0}, d0, t0)), .accesses = "", .fits = floating_vector, .draw = draw_shape, .weight = 2, .replays = false},
    {STRETTO_STATEMENT(check::drawn(n3, {}, d0, t0)), .accesses = "", .fits = [](const Places& places, Variable& result) { return is_floating(places.dtype) && number(places, result); }, .draw = draw_shape, .replays = false},
    {STRETTO_STATEMENT(check::drawn_normal(n3, {n0, n1}, d0, t0)), .accesses = "", .fits = floating_matrix, .draw = draw_shape, .replays = false},
    {STRETTO_STATEMENT(check::drawn_integers(n3, {n0, n1}, d0, t0)), .accesses = "", .fits = integer_matrix, .draw = draw_shape, .weight = 3, .replays = false},
    {STRETTO_STATEMENT(check::drawn_integers(n3, {n0}, d0, t0)), .accesses = "", .fits = integer_vector, .draw = draw_shape, .weight = 3, .replays = false},
    {STRETTO_STATEMENT(check::reused(n3, n0, n1, d0, t0)), .accesses = "", .fits = signed_integer_matrix, .draw = draw_shape, .weight = 4, .replays = false},
    {STRETTO_STATEMENT(zeros_like(x0)), .accesses = "-", .fits = any_tensor, .draw = draw_nothing, .weight = 0.5},
    {STRETTO_STATEMENT(full_like(x0, n2)), .accesses = "-", .fits = any_tensor, .draw = draw_shape, .weight = 0.5},
    {STRETTO_STATEMENT(x0.to(d0)), .accesses = "r", .fits = moved, .draw = draw_nothing, .weight = 14, .replays = false},
    {STRETTO_STATEMENT(x0.to(t0)), .accesses = "r", .fits = cast, .draw = draw_nothing, .weight = 3},
    {STRETTO_STATEMENT(x0.clone()), .accesses = "r", .fits = any_tensor, .draw = draw_nothing},
    {STRETTO_STATEMENT(x0.contiguous()), .accesses = "r", .fits = uncopied, .draw = draw_nothing},
  };
}
// clang-format on

}  // namespace stretto::cli
