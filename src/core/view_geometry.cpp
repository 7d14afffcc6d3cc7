#include <string>
#include <utility>

#include <stretto/base/error.h>
#include <stretto/core/view_geometry.h>

namespace stretto::geometry {

namespace {

[[noreturn]] void throw_reshape(const Shape& shape, const IndexList& target) {
  throw ShapeError("cannot reshape " + to_string(shape) + " to " + to_string(target));
}

void erase_axis(Geometry& g, int axis) {
  g.shape.erase(axis);
  g.strides.erase(axis);
}

}  // namespace

Geometry contiguous(const Shape& shape, std::int64_t offset) { return {shape, contiguous_strides(shape), offset}; }

Shape infer_shape(const Shape& shape, const IndexList& target) {
  int inferred = -1;
  std::int64_t known = 1;
  for (int i = 0; i < target.rank(); ++i) {
    if (target[i] == -1 && inferred < 0) {
      inferred = i;
    } else if (target[i] < 0 || __builtin_mul_overflow(known, target[i], &known)) {
      throw_reshape(shape, target);
    }
  }
  const std::int64_t count = shape.numel();
  IndexList result = target;
  if (inferred >= 0) {
    if (known == 0 || count % known != 0) throw_reshape(shape, target);
    result[inferred] = count / known;
  } else if (known != count) {
    throw_reshape(shape, target);
  }
  return Shape(result);
}

std::optional<Geometry> reshape(const Geometry& g, const IndexList& target) {
  const Shape shape = infer_shape(g.shape, target);
  if (shape == g.shape) return g;
  if (is_contiguous(g.shape, g.strides)) return contiguous(shape, g.offset);

  Geometry result{shape, Strides(IndexList::filled(shape.rank(), 0)), g.offset};
  int next = shape.rank() - 1;  // the next axis of the result to be given a stride, from the innermost
  std::int64_t block = 1;       // elements in a block of axes that lie at even distances
  std::int64_t block_stride = 0;
  for (int i = g.shape.rank() - 1; i >= 0; --i) {
    if (block == 1) block_stride = g.strides[i];
    block *= g.shape[i];
    int outer = i - 1;
    while (outer >= 0 && g.shape[outer] == 1) --outer;
    if (outer >= 0 && (block == 1 || g.strides[outer] == block * block_stride)) continue;

    std::int64_t covered = 1;
    while (next >= 0 && (covered < block || shape[next] == 1)) {
      result.strides[next] = covered * block_stride;
      covered *= shape[next--];
    }
    if (covered != block) return std::nullopt;
    block = 1;
    i = outer + 1;
  }
  return result;
}

Geometry transpose(const Geometry& g, std::int64_t axis1, std::int64_t axis2) {
  const int a = normalize_axis(axis1, g.shape.rank());
  const int b = normalize_axis(axis2, g.shape.rank());
  Geometry result = g;
  std::swap(result.shape[a], result.shape[b]);
  std::swap(result.strides[a], result.strides[b]);
  return result;
}

Geometry permute(const Geometry& g, const IndexList& axes) {
  const int rank = g.shape.rank();
  Geometry result = g;
  unsigned seen = 0;
  for (int i = 0; i < axes.rank() && axes.rank() == rank; ++i) {
    const int axis = normalize_axis(axes[i], rank);
    seen |= 1u << axis;
    result.shape[i] = g.shape[axis];
    result.strides[i] = g.strides[axis];
  }
  if (axes.rank() != rank || seen != (1u << rank) - 1) {
    throw ShapeError("axes " + to_string(axes) + " do not name each axis of shape " + to_string(g.shape) + " once");
  }
  return result;
}

Geometry slice(const Geometry& g, std::int64_t axis, std::optional<std::int64_t> start,
               std::optional<std::int64_t> stop, std::int64_t step) {
  const int a = normalize_axis(axis, g.shape.rank());
  if (step == 0) throw IndexError("a slice needs a step other than 0");
  const std::int64_t extent = g.shape[a];
  // A backward walk may begin at the last element and stop before the first: one to the left of a forward walk's edges.
  const std::int64_t low = step > 0 ? 0 : -1;
  const std::int64_t high = step > 0 ? extent : extent - 1;
  const auto clamp = [&](std::int64_t position) {
    return std::clamp(position < 0 ? position + extent : position, low, high);
  };
  const std::int64_t first = start ? clamp(*start) : (step > 0 ? low : high);
  const std::int64_t last = stop ? clamp(*stop) : (step > 0 ? high : low);
  std::int64_t count = 0;
  if (step > 0 && last > first) count = (last - first - 1) / step + 1;
  if (step < 0 && first > last) count = (last - first + 1) / step + 1;

  Geometry result = g;
  result.shape[a] = count;
  if (count > 0) result.offset += first * g.strides[a];
  if (count > 1) result.strides[a] *= step;
  return result;
}

Geometry select(const Geometry& g, std::int64_t axis, std::int64_t index) {
  const int a = normalize_axis(axis, g.shape.rank());
  const std::int64_t extent = g.shape[a];
  if (index < -extent || index >= extent) {
    throw IndexError("index " + std::to_string(index) + " is out of range for axis " + std::to_string(a) +
                     " of shape " + to_string(g.shape));
  }
  Geometry result = g;
  result.offset += (index < 0 ? index + extent : index) * g.strides[a];
  erase_axis(result, a);
  return result;
}

Geometry expand(const Geometry& g, const IndexList& target) {
  IndexList extents = target;
  const int missing = target.rank() - g.shape.rank();
  bool fits = missing >= 0;
  for (int i = 0; fits && i < target.rank(); ++i) {
    if (target[i] != -1) continue;
    fits = i >= missing;
    if (fits) extents[i] = g.shape[i - missing];
  }
  if (!fits) throw ShapeError("cannot expand " + to_string(g.shape) + " to " + to_string(target));
  const Shape shape(extents);
  return {shape, broadcast_strides(g.shape, g.strides, shape), g.offset};
}

Geometry squeeze(const Geometry& g) {
  Geometry result = g;
  for (int i = g.shape.rank() - 1; i >= 0; --i) {
    if (g.shape[i] == 1) erase_axis(result, i);
  }
  return result;
}

Geometry squeeze(const Geometry& g, std::int64_t axis) {
  const int a = normalize_axis(axis, g.shape.rank());
  if (g.shape[a] != 1) {
    throw ShapeError("cannot squeeze axis " + std::to_string(a) + " of shape " + to_string(g.shape) +
                     ": its extent is " + std::to_string(g.shape[a]) + ", not 1");
  }
  Geometry result = g;
  erase_axis(result, a);
  return result;
}

Geometry unsqueeze(const Geometry& g, std::int64_t axis) {
  const int a = normalize_axis(axis, g.shape.rank() + 1);
  Geometry result = g;
  const bool innermost = a == g.shape.rank();
  result.strides.insert(a, innermost ? 1 : g.shape[a] * g.strides[a]);
  result.shape.insert(a, 1);
  return result;
}

Geometry diagonal(const Geometry& g, std::int64_t distance, std::int64_t axis1, std::int64_t axis2) {
  const int rows = normalize_axis(axis1, g.shape.rank());
  const int columns = normalize_axis(axis2, g.shape.rank());
  if (rows == columns) {
    throw ShapeError("a diagonal needs two different axes, and both are " + std::to_string(rows) + " of shape " +
                     to_string(g.shape));
  }
  const std::int64_t row_count = g.shape[rows];
  const std::int64_t column_count = g.shape[columns];
  // Clamped first, so that no distance overflows: beyond the edge the diagonal is empty all the same.
  distance = std::clamp(distance, -row_count, column_count);
  const std::int64_t count =
      std::min(row_count + std::min<std::int64_t>(distance, 0), column_count - std::max<std::int64_t>(distance, 0));
  Geometry result = g;
  if (count > 0) result.offset += distance >= 0 ? distance * g.strides[columns] : -distance * g.strides[rows];
  erase_axis(result, std::max(rows, columns));
  erase_axis(result, std::min(rows, columns));
  result.shape.push_back(count);
  result.strides.push_back(g.strides[rows] + g.strides[columns]);
  return result;
}

}  // namespace stretto::geometry
