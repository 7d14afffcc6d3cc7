#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <stretto/core/view_geometry.h>

namespace stretto {

/// The offsets of a view's elements, in the order of its indices, computed element by element.
inline std::vector<std::int64_t> element_offsets(const Geometry& g) {
  std::vector<std::int64_t> offsets;
  const std::int64_t count = g.shape.numel();
  for (std::int64_t n = 0; n < count; ++n) {
    std::int64_t rest = n, offset = g.offset;
    for (int i = g.shape.rank() - 1; i >= 0; --i) {
      offset += rest % g.shape[i] * g.strides[i];
      rest /= g.shape[i];
    }
    offsets.push_back(offset);
  }
  return offsets;
}

inline std::string describe(const Geometry& g) {
  return "shape " + to_string(g.shape) + " strides " + to_string(g.strides) + " offset " + std::to_string(g.offset);
}

/// Random choices from a fixed seed: the same on every machine (the standard distributions are not).
class RandomViews {
 public:
  explicit RandomViews(std::uint64_t seed) : engine_(seed) {}

  /// Between `low` and `high`, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }

  Geometry contiguous(int rank, std::int64_t largest_extent) {
    Shape shape;
    for (int i = 0; i < rank; ++i) shape.push_back(between(1, largest_extent));
    return geometry::contiguous(shape);
  }

  /// A random slice along each axis, of steps up to `largest_step` in either direction; never empty.
  Geometry sliced(Geometry g, std::int64_t largest_step) {
    for (int i = 0; i < g.shape.rank(); ++i) {
      const std::int64_t start = between(0, g.shape[i] - 1);
      const std::int64_t step = between(1, largest_step);
      if (between(0, 1) == 0) {
        g = geometry::slice(g, i, start, between(start + 1, g.shape[i]), step);
      } else {
        const std::int64_t stop = between(-1, start - 1);
        g = geometry::slice(g, i, start, stop < 0 ? std::nullopt : std::optional(stop), -step);
      }
    }
    return g;
  }

  Geometry permuted(const Geometry& g) {
    IndexList axes;
    for (int i = 0; i < g.shape.rank(); ++i) axes.insert(static_cast<int>(between(0, i)), i);
    return geometry::permute(g, axes);
  }

  /// A view made by a few random steps of any kind, self-overlapping ones included.
  Geometry view(const Geometry& base) {
    Geometry g = base;
    for (std::int64_t steps = between(0, 4); steps > 0; --steps) {
      const int rank = g.shape.rank();
      const int axis = rank == 0 ? 0 : static_cast<int>(between(0, rank - 1));
      switch (between(0, 6)) {
        case 0: g = sliced(g, 3); break;
        case 1: g = permuted(g); break;
        case 2:
          if (rank > 1) g = geometry::select(g, axis, between(0, g.shape[axis] - 1));
          break;
        case 3:
          if (rank < 6) g = geometry::expand(geometry::unsqueeze(g, axis), repeated(g.shape, axis));
          break;
        case 4:
          if (rank > 1) g = geometry::diagonal(g, 0, 0, 1);
          break;
        case 5:
          if (rank < 6) g = windows(g, axis);
          break;
        default:
          if (rank > 0) g = geometry::reshape(g, {-1}).value_or(g);
      }
    }
    return g;
  }

 private:
  IndexList repeated(const Shape& shape, int axis) {
    IndexList extents = shape;
    extents.insert(axis, between(1, 3));
    return extents;
  }

  /// Sliding windows along an axis: their elements overlap.
  Geometry windows(Geometry g, int axis) {
    if (g.shape.rank() == 0) return g;
    const std::int64_t width = between(1, g.shape[axis]);
    g.shape[axis] -= width - 1;
    g.shape.push_back(width);
    g.strides.push_back(g.strides[axis]);
    return g;
  }

  std::mt19937_64 engine_;
};

}  // namespace stretto
