#include "cli/check/rules.h"

#include <algorithm>

#include <stretto/base/error.h>
#include <stretto/core/promotion.h>

namespace stretto::cli {
namespace {

int tensors_in(const Places& places) {
  int count = 0;
  for (const Variable& x : places.x) count += x.defined() ? 1 : 0;
  return count;
}

const Variable& tensor(const Places& places, int index) { return places.x[static_cast<std::size_t>(index)]; }

}  // namespace

bool any_tensor(const Places&, Variable&) { return true; }

bool not_bool(const Places& places, Variable&) { return places.x[0].dtype != DType::bool_; }

bool floating(const Places& places, Variable&) { return is_floating(places.x[0].dtype); }

bool becomes_floating(const Places& places, Variable& result) {
  if (!is_floating(places.x[0].dtype)) result.dtype = default_dtype;
  return true;
}

bool becomes_bool(const Places&, Variable& result) {
  result.dtype = DType::bool_;
  return true;
}

bool common(const Places& places, Variable& result) {
  const int count = tensors_in(places);
  Shape shape = places.x[0].shape();
  try {
    for (int i = 1; i < count; ++i) shape = broadcast_shapes(shape, tensor(places, i).shape());
  } catch (const ShapeError&) {
    return false;
  }
  result.geometry = geometry::contiguous(shape);
  result.dtype = common_type(places, 0, count);
  return true;
}

bool common_not_bool(const Places& places, Variable& result) {
  return common(places, result) && result.dtype != DType::bool_;
}

bool common_floating(const Places& places, Variable& result) {
  for (int i = 0; i < tensors_in(places); ++i) {
    if (!is_floating(tensor(places, i).dtype)) return false;
  }
  return common(places, result);
}

bool common_bits(const Places& places, Variable& result) {
  return common(places, result) && !is_floating(result.dtype);
}

bool common_becomes_floating(const Places& places, Variable& result) {
  if (!common(places, result)) return false;
  if (!is_floating(result.dtype)) result.dtype = default_dtype;
  return true;
}

bool common_becomes_bool(const Places& places, Variable& result) {
  return common(places, result) && becomes_bool(places, result);
}

bool in_place(const Places& places, Variable& result) {
  if (!copied_in_place(places, result)) return false;
  const DType own = places.x[0].dtype, type = common_type(places, 0, 2);
  const auto kind = [](DType dtype) { return is_floating(dtype) ? 2 : is_integral(dtype) ? 1 : 0; };
  return kind(type) <= kind(own);
}

bool copied_in_place(const Places& places, Variable&) {
  return distinct(places.x[0]) && broadcasts_to(places.x[1].shape(), places.x[0].shape());
}

bool writable(const Places& places, Variable&) { return distinct(places.x[0]); }

bool broadcasts_to(const Shape& from, const Shape& to) {
  try {
    return broadcast_shapes(from, to) == to;
  } catch (const ShapeError&) {
    return false;
  }
}

bool distinct(const Variable& x) {
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (x.shape()[axis] > 1 && x.geometry.strides[axis] == 0) return false;
  }
  return true;
}

bool same_types(const Places& places, int count) {
  for (int i = 1; i < count; ++i) {
    if (tensor(places, i).dtype != places.x[0].dtype) return false;
  }
  return true;
}

DType common_type(const Places& places, int first, int count) {
  std::vector<PromotionOperand> operands;
  for (int i = first; i < count; ++i) {
    operands.push_back(PromotionOperand::tensor(tensor(places, i).dtype, tensor(places, i).rank()));
  }
  return result_type(operands);
}

bool view_as(const Places& places, Geometry geometry, Variable& result) {
  result.storage = places.x[0].storage;
  result.geometry = std::move(geometry);
  return true;
}

bool is_axis(const Places& places, std::int64_t axis) { return axis >= 0 && axis < places.x[0].rank(); }

void draw_nothing(Random&, const Choices&, Places&) {}

void draw_axis(Random& random, const Choices&, Places& places) {
  places.n = {random.draw(0, std::max(places.x[0].rank() - 1, 0)), random.draw(0, 1), random.draw(0, 3),
              random.draw(-2, 2)};
}

void draw_small(Random& random, const Choices&, Places& places) {
  for (std::int64_t& number : places.n) number = random.draw(-4, 4);
}

void draw_shape(Random& random, const Choices& choices, Places& places) {
  const auto draw_extent = [&] { return random.happens(0.7) ? choices.side : random.draw(1, choices.side); };
  places.n = {draw_extent(), draw_extent(), random.draw(0, 9), random.draw(0, 999)};
}

void draw_seed(Random& random, const Choices&, Places& places) { places.n = {random.draw(0, 99999), 0, 0, 0}; }

}  // namespace stretto::cli
