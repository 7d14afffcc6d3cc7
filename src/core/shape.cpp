#include <type_traits>

#include <stretto/base/error.h>
#include <stretto/core/shape.h>

namespace stretto {

static_assert(std::is_trivially_copyable_v<Shape> && std::is_trivially_copyable_v<Strides>);

void IndexList::throw_too_many(std::size_t count, const CallSite& site) {
  throw ShapeError(
      "", std::to_string(count) + " dimensions are too many: at most " + std::to_string(max_rank) + " are supported",
      site);
}

std::string to_string(const IndexList& list) {
  std::string text = "(";
  for (int i = 0; i < list.rank(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(list[i]);
  }
  return text + (list.rank() == 1 ? ",)" : ")");
}

void Shape::throw_negative(const CallSite& site) const {
  throw ShapeError("", "shape " + to_string(*this) + " has a negative extent", site);
}

std::int64_t Shape::numel_after_overflow() const {
  if (std::find(begin(), end(), 0) != end()) return 0;
  throw ShapeError("shape " + to_string(*this) + " has more elements than 63 bits can count");
}

Strides contiguous_strides(const Shape& shape) {
  Strides strides;
  strides.resize(shape.rank());
  std::int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = stride;
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(shape[i], 1), &stride)) {
      throw ShapeError("shape " + to_string(shape) + " has strides that do not fit in 63 bits");
    }
  }
  return strides;
}

bool is_contiguous(const Shape& shape, const Strides& strides) {
  std::int64_t expected = 1;
  bool in_order = true;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    if (shape[i] == 0) return true;
    if (shape[i] == 1) continue;
    in_order = in_order && strides[i] == expected;
    expected *= shape[i];
  }
  return in_order;
}

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape result = longer;
  const int missing = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    std::int64_t& extent = result[missing + i];
    if (extent == shorter[i] || shorter[i] == 1) continue;
    if (extent != 1) {
      throw ShapeError("shapes " + to_string(a) + " and " + to_string(b) + " cannot be broadcast");
    }
    extent = shorter[i];
  }
  return result;
}

Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& target) {
  const int missing = target.rank() - shape.rank();
  bool fits = missing >= 0;
  Strides result(IndexList::filled(target.rank(), 0));
  for (int i = 0; fits && i < shape.rank(); ++i) {
    if (shape[i] == target[missing + i]) {
      result[missing + i] = strides[i];
    } else {
      fits = shape[i] == 1;
    }
  }
  if (!fits) throw ShapeError("shape " + to_string(shape) + " cannot be broadcast to " + to_string(target));
  return result;
}

int normalize_axis(std::int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    throw IndexError("axis " + std::to_string(axis) + " is out of range for a tensor of " + std::to_string(rank) +
                     (rank == 1 ? " dimension" : " dimensions"));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace stretto
