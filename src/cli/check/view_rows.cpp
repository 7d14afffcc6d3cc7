#include <algorithm>

#include "cli/check/rules.h"

namespace stretto::cli {
namespace {

/// Views without elements are left out: they would not be noticed.
bool view_with_elements(const Places& places, Geometry geometry, Variable& result) {
  return geometry.shape.numel() > 0 && view_as(places, std::move(geometry), result);
}

std::int64_t extent(const Places& places, std::int64_t axis) {
  return is_axis(places, axis) ? places.x[0].shape()[static_cast<int>(axis)] : 0;
}

bool transposes(const Places& places, Variable& result) {
  return places.x[0].rank() == 2 && view_as(places, geometry::transpose(places.x[0].geometry, 0, 1), result);
}
bool permutes(const Places& places, Variable& result) {
  return places.x[0].rank() == 3 && view_as(places, geometry::permute(places.x[0].geometry, {2, 0, 1}), result);
}
bool slices(const Places& places, Variable& result) {
  const auto& n = places.n;
  if (!is_axis(places, n[0]) || n[3] == 0) return false;
  return view_with_elements(places, geometry::slice(places.x[0].geometry, n[0], n[1], n[2], n[3]), result);
}
bool reverses(const Places& places, Variable& result) {
  if (!is_axis(places, places.n[0])) return false;
  return view_as(places, geometry::slice(places.x[0].geometry, places.n[0], std::nullopt, std::nullopt, -1), result);
}
bool selects(const Places& places, Variable& result) {
  const auto& n = places.n;
  if (n[1] < 0 || n[1] >= extent(places, n[0])) return false;
  return view_as(places, geometry::select(places.x[0].geometry, n[0], n[1]), result);
}
bool inside(const Places& places, std::int64_t axis, std::int64_t start, std::int64_t length) {
  return start >= 0 && length > 0 && start + length <= extent(places, axis);
}
Geometry narrowed(const Geometry& g, std::int64_t axis, std::int64_t start, std::int64_t length) {
  return geometry::slice(g, axis, start, start + length);
}
bool narrows(const Places& places, Variable& result) {
  const auto& n = places.n;
  return inside(places, n[0], n[1], n[2]) && view_as(places, narrowed(places.x[0].geometry, n[0], n[1], n[2]), result);
}
bool tiles(const Places& places, Variable& result) {
  const auto& n = places.n;
  if (places.x[0].rank() != 2 || !inside(places, 0, n[0], n[1]) || !inside(places, 1, n[2], n[3])) return false;
  return view_as(places, narrowed(narrowed(places.x[0].geometry, 0, n[0], n[1]), 1, n[2], n[3]), result);
}
bool expands(const Places& places, Variable& result) {
  if (places.x[0].rank() > 1 || places.n[1] < 1) return false;
  Shape shape = places.x[0].shape();
  shape.insert(0, places.n[1]);
  return view_as(places, geometry::expand(places.x[0].geometry, shape), result);
}
bool unsqueezes(const Places& places, Variable& result) {
  if (places.n[0] < 0 || places.n[0] > places.x[0].rank() || places.x[0].rank() > 2) return false;
  return view_as(places, geometry::unsqueeze(places.x[0].geometry, places.n[0]), result);
}
bool squeezes(const Places& places, Variable& result) {
  return view_as(places, geometry::squeeze(places.x[0].geometry), result);
}
bool takes_diagonal(const Places& places, Variable& result) {
  if (places.x[0].rank() != 2) return false;
  return view_with_elements(places, geometry::diagonal(places.x[0].geometry, places.n[3]), result);
}
/// A view where strides can express it, else a copy.
bool reshapes(const Places& places, Variable& result) {
  const Geometry& g = places.x[0].geometry;
  if (places.n[1] < 1 || g.shape.numel() % places.n[1] != 0) return false;
  const IndexList target = {places.n[1], -1};
  if (const auto view = geometry::reshape(g, target)) return view_as(places, *view, result);
  result.geometry = geometry::contiguous(geometry::infer_shape(g.shape, target));
  return true;
}
bool flattens(const Places& places, Variable& result) {
  const Geometry& g = places.x[0].geometry;
  const Shape flat = {g.shape.numel()};
  if (const auto view = geometry::reshape(g, flat)) return view_as(places, *view, result);
  result.geometry = geometry::contiguous(flat);
  return true;
}
bool splits(const Places& places, Variable& result) {
  const std::int64_t all = extent(places, places.n[0]), half = (all + 1) / 2;
  if (all < 2) return false;
  return view_as(places, narrowed(places.x[0].geometry, places.n[0], half, all - half), result);
}
bool same_handle(const Places& places, Variable& result) { return view_as(places, places.x[0].geometry, result); }

void draw_part(Random& random, const Choices& choices, Places& places) {
  draw_axis(random, choices, places);
  const std::int64_t all = std::max<std::int64_t>(extent(places, places.n[0]), 1);
  places.n[1] = random.draw(0, all - 1);
  places.n[2] = random.draw(1, all - places.n[1]);
  places.n[3] = random.draw(-2, 2);
}
void draw_slice(Random& random, const Choices& choices, Places& places) {
  draw_part(random, choices, places);
  places.n[2] += places.n[1];
  places.n[3] = random.draw(1, 3);
}
/// Halves, and now and then any rectangle, which overlaps others.
void draw_tile(Random& random, const Choices&, Places& places) {
  for (int axis = 0; axis < 2; ++axis) {
    const std::int64_t all = std::max<std::int64_t>(extent(places, axis), 2), half = all / 2;
    const auto i = static_cast<std::size_t>(axis) * 2;
    const bool any = random.happens(0.4);
    places.n[i] = any ? random.draw(0, all - 1) : random.draw(0, 1) * half;
    places.n[i + 1] = any ? random.draw(1, all - places.n[i]) : half;
  }
}
void draw_divisor(Random& random, const Choices& choices, Places& places) {
  places.n[1] = random.happens(0.5) ? choices.side : random.draw(1, 6);
}
void draw_unsqueezed(Random& random, const Choices&, Places& places) {
  places.n[0] = random.draw(0, places.x[0].rank());
}

}  // namespace

// Rows are long; each is one line.
// clang-format off
std::vector<StatementRow> view_rows() {
  return {
    {STRETTO_STATEMENT(x0.t()), .accesses = "-", .fits = transposes, .draw = draw_nothing, .weight = 3, .is_task = false},
    {STRETTO_STATEMENT(x0.permute({2, 0, 1})), .accesses = "-", .fits = permutes, .draw = draw_nothing, .is_task = false},
    {STRETTO_STATEMENT(x0.slice(n0, n1, n2, n3)), .accesses = "-", .fits = slices, .draw = draw_slice, .weight = 3, .is_task = false},
    {STRETTO_STATEMENT(x0.slice(n0, std::nullopt, std::nullopt, -1)), .accesses = "-", .fits = reverses, .draw = draw_axis, .is_task = false},
    {STRETTO_STATEMENT(x0.select(n0, n1)), .accesses = "-", .fits = selects, .draw = draw_part, .weight = 2, .is_task = false},
    {STRETTO_STATEMENT(x0.narrow(n0, n1, n2)), .accesses = "-", .fits = narrows, .draw = draw_part, .weight = 3, .is_task = false},
    {STRETTO_STATEMENT(x0.narrow(0, n0, n1).narrow(1, n2, n3)), .accesses = "-", .fits = tiles, .draw = draw_tile, .weight = 6, .is_task = false},
    {STRETTO_STATEMENT(x0.expand({n1, -1})), .accesses = "-", .fits = [](const Places& places, Variable& result) { return places.x[0].rank() == 1 && expands(places, result); }, .draw = draw_shape, .is_task = false},
    {STRETTO_STATEMENT(x0.unsqueeze(n0)), .accesses = "-", .fits = unsqueezes, .draw = draw_unsqueezed, .is_task = false},
    {STRETTO_STATEMENT(x0.squeeze()), .accesses = "-", .fits = squeezes, .draw = draw_nothing, .is_task = false},
    {STRETTO_STATEMENT(x0.diagonal(n3)), .accesses = "-", .fits = takes_diagonal, .draw = draw_axis, .weight = 2, .is_task = false},
    {STRETTO_STATEMENT(x0.reshape({n1, -1})), .accesses = "r", .fits = reshapes, .draw = draw_divisor, .weight = 2},
    {STRETTO_STATEMENT(x0.flatten()), .accesses = "r", .fits = flattens, .draw = draw_nothing},
    {STRETTO_STATEMENT(chunk(x0, 2, n0)[1]), .accesses = "-", .fits = splits, .draw = draw_axis, .is_task = false},
    {STRETTO_STATEMENT(Tensor(x0)), .accesses = "-", .fits = same_handle, .draw = draw_nothing, .is_task = false},
  };
}
// clang-format on

}  // namespace stretto::cli
