#include <stretto/core/promotion.h>

#include "cli/check/rules.h"

namespace stretto::cli {
namespace {

/// The shape of x[0] @ x[1] for ranks 1 and 2, or nothing.
bool product_shape(const Shape& a, const Shape& b, Shape& shape) {
  if (a.rank() < 1 || a.rank() > 2 || b.rank() < 1 || b.rank() > 2 || a[a.rank() - 1] != b[0]) return false;
  shape = Shape();
  if (a.rank() == 2) shape.push_back(a[0]);
  if (b.rank() == 2) shape.push_back(b[1]);
  return true;
}

bool numbers(const Places& places, int count) { return same_types(places, count) && places.x[0].dtype != DType::bool_; }

bool multiplies(const Places& places, Variable& result) {
  Shape shape;
  if (!numbers(places, 2) || !product_shape(places.x[0].shape(), places.x[1].shape(), shape)) return false;
  result.geometry = geometry::contiguous(shape);
  return true;
}

bool adds_product(const Places& places, Variable& result) {
  Shape shape;
  if (!numbers(places, 3) || places.x[1].rank() != 2 || places.x[2].rank() != 2 ||
      !product_shape(places.x[1].shape(), places.x[2].shape(), shape) || !broadcasts_to(places.x[0].shape(), shape)) {
    return false;
  }
  result.geometry = geometry::contiguous(shape);
  return true;
}

bool gates_product(const Places& places, Variable& result) {
  Shape shape;
  if (!numbers(places, 3) || !is_floating(places.x[0].dtype) || places.x[0].rank() != 2 || places.x[1].rank() != 2 ||
      !product_shape(places.x[0].shape(), places.x[1].shape(), shape) || places.x[2].shape() != shape) {
    return false;
  }
  result.geometry = geometry::contiguous(shape);
  return true;
}

bool multiplies_transposed(const Places& places, Variable& result) {
  const Shape &x = places.x[0].shape(), &weight = places.x[1].shape();
  if (!numbers(places, 2) || x.rank() < 1 || weight.rank() != 2 || x[x.rank() - 1] != weight[1]) return false;
  Shape shape = x;
  shape[x.rank() - 1] = weight[0];
  result.geometry = geometry::contiguous(shape);
  return true;
}
bool multiplies_transposed_with_bias(const Places& places, Variable& result) {
  const Shape& bias = places.x[2].shape();
  return numbers(places, 3) && multiplies_transposed(places, result) && bias.rank() == 1 &&
         bias[0] == places.x[1].shape()[0];
}

/// The positions of a row of indexing are x1 % n1, so n1 must be the extent, and fit x1's type.
void draw_positions(Random& random, const Choices& choices, Places& places) {
  draw_axis(random, choices, places);
  const Variable& x = places.x[0];
  places.n[1] = is_axis(places, places.n[0]) ? x.shape()[static_cast<int>(places.n[0])] : 0;
}
bool has_positions(const Places& places) {
  return is_axis(places, places.n[0]) && places.n[1] == places.x[0].shape()[static_cast<int>(places.n[0])] &&
         is_integral(places.x[1].dtype) && places.n[1] < 256;
}

bool gathers(const Places& places, Variable& result) {
  if (!has_positions(places) || places.x[1].rank() != places.x[0].rank()) return false;
  for (int axis = 0; axis < places.x[0].rank(); ++axis) {
    if (axis != places.n[0] && places.x[1].shape()[axis] > places.x[0].shape()[axis]) return false;
  }
  result.geometry = geometry::contiguous(places.x[1].shape());
  return true;
}

bool selects_positions(const Places& places, Variable& result) {
  if (!has_positions(places) || places.x[1].rank() != 1) return false;
  Shape shape = places.x[0].shape();
  shape[static_cast<int>(places.n[0])] = places.x[1].shape()[0];
  result.geometry = geometry::contiguous(shape);
  return true;
}

bool adds_at_positions(const Places& places, Variable& result) {
  Variable chosen = result;
  return selects_positions(places, chosen) && places.x[2].dtype == places.x[0].dtype &&
         places.x[2].shape() == chosen.shape();
}

bool is_one_hot(const Places& places, Variable& result) {
  if (!is_integral(places.x[0].dtype) || places.n[2] < 1) return false;
  Shape shape = places.x[0].shape();
  if (shape.rank() > 2) return false;
  shape.push_back(places.n[2]);
  result.geometry = geometry::contiguous(shape);
  result.dtype = DType::int64;
  return true;
}

bool labelled(const Places& places, const Variable& logits, const Variable& labels) {
  return is_floating(logits.dtype) && logits.rank() == 2 && labels.rank() == 1 && is_integral(labels.dtype) &&
         labels.shape()[0] == logits.shape()[0] && places.n[0] == logits.shape()[1] && places.n[0] < 256;
}
bool has_loss(const Places& places, Variable& result) {
  result.geometry = geometry::contiguous({});
  return labelled(places, places.x[0], places.x[1]);
}
bool has_loss_gradient(const Places& places, Variable&) { return labelled(places, places.x[0], places.x[1]); }
void draw_classes(Random&, const Choices&, Places& places) {
  for (const Variable& x : places.x) {
    if (x.rank() == 2) places.n[0] = x.shape()[1];
  }
}

bool joins(const Places& places, Variable& result) {
  const Shape &a = places.x[0].shape(), &b = places.x[1].shape();
  if (!is_axis(places, places.n[0]) || a.rank() != b.rank()) return false;
  Shape shape = a;
  for (int axis = 0; axis < a.rank(); ++axis) {
    if (axis == places.n[0]) {
      shape[axis] += b[axis];
    } else if (a[axis] != b[axis]) {
      return false;
    }
  }
  result.geometry = geometry::contiguous(shape);
  result.dtype = promote(places.x[0].dtype, places.x[1].dtype);
  return true;
}
bool stacks(const Places& places, Variable& result) {
  Shape shape = places.x[0].shape();
  if (shape != places.x[1].shape() || shape.rank() > 2 || places.n[0] > shape.rank()) return false;
  shape.insert(static_cast<int>(places.n[0]), 2);
  result.geometry = geometry::contiguous(shape);
  result.dtype = promote(places.x[0].dtype, places.x[1].dtype);
  return true;
}

/// Positions as they come: most are outside, which is an error when the value is read.
bool selects_anywhere(const Places& places, Variable& result) {
  Places placed = places;
  if (!is_axis(places, places.n[0])) return false;
  placed.n[1] = places.x[0].shape()[static_cast<int>(places.n[0])];
  return selects_positions(placed, result);
}

}  // namespace

// Rows are long; each is one line.
// clang-format off
std::vector<StatementRow> matrix_rows() {
  return {
    {STRETTO_STATEMENT(matmul(x0, x1)), .accesses = "rr", .fits = multiplies, .draw = draw_nothing, .weight = 5},
    {STRETTO_STATEMENT(addmm(x0, x1, x2)), .accesses = "rrr", .fits = adds_product, .draw = draw_nothing, .weight = 2},
    {STRETTO_STATEMENT(addmm_relu(x0, x1, x2)), .accesses = "rrr", .fits = adds_product, .draw = draw_nothing},
    {STRETTO_STATEMENT(matmul_relu_backward(x0, x1, x2)), .accesses = "rrr", .fits = gates_product, .draw = draw_nothing},
    {STRETTO_STATEMENT(linear(x0, x1)), .accesses = "rr", .fits = multiplies_transposed, .draw = draw_nothing},
    {STRETTO_STATEMENT(linear(x0, x1, x2)), .accesses = "rrr", .fits = multiplies_transposed_with_bias, .draw = draw_nothing},
    {STRETTO_STATEMENT(linear_relu(x0, x1, x2)), .accesses = "rrr", .fits = multiplies_transposed_with_bias, .draw = draw_nothing},
    {STRETTO_STATEMENT(gather(x0, n0, x1 % n1)), .accesses = "rr", .fits = gathers, .draw = draw_positions, .weight = 2},
    {STRETTO_STATEMENT(index_select(x0, n0, x1 % n1)), .accesses = "rr", .fits = selects_positions, .draw = draw_positions, .weight = 2},
    {STRETTO_STATEMENT(index_add(x0, n0, x1 % n1, x2)), .accesses = "rrr", .fits = adds_at_positions, .draw = draw_positions, .weight = 2},
    {STRETTO_STATEMENT(index_select(x0, n0, x1)), .accesses = "rr", .fits = selects_anywhere, .draw = draw_axis, .fails = true},
    {STRETTO_STATEMENT(one_hot(x0 % n2, n2)), .accesses = "r", .fits = is_one_hot, .draw = draw_axis},
    {STRETTO_STATEMENT(cross_entropy(x0, x1 % n0)), .accesses = "rr", .fits = has_loss, .draw = draw_classes, .weight = 2},
    {STRETTO_STATEMENT(cross_entropy_backward(sum(x0), x0, x1 % n0)), .accesses = "rr", .fits = has_loss_gradient, .draw = draw_classes, .weight = 2},
    {STRETTO_STATEMENT(concat({x0, x1}, n0)), .accesses = "rr", .fits = joins, .draw = draw_axis, .weight = 2},
    {STRETTO_STATEMENT(stack({x0, x1}, n0)), .accesses = "rr", .fits = stacks, .draw = draw_axis},
  };
}
// clang-format on

}  // namespace stretto::cli
