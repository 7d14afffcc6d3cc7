#pragma once

#include <cstdint>
#include <optional>

#include <stretto/base/export.h>
#include <stretto/core/shape.h>

namespace stretto {

/// Where a view's elements lie in its storage: element (i, j, ...) is at `offset + i * strides[0] + j * strides[1] +
/// ...`, counted in elements. `shape` and `strides` have the same rank. A plain value; it owns nothing.
struct Geometry {
  Shape shape;
  Strides strides;
  std::int64_t offset = 0;

  friend bool operator==(const Geometry&, const Geometry&) = default;
};

/// Views as pure functions: each takes a geometry and returns that of the view, or throws ShapeError or IndexError.
/// Axes count from the end when negative. Nothing is read or copied.
namespace geometry {

/// A tensor of `shape` stored without gaps from element `offset`.
STRETTO_API Geometry contiguous(const Shape& shape, std::int64_t offset = 0);

/// The shape that reshaping `shape` to `target` gives; one entry of `target` may be -1 and is then inferred.
STRETTO_API Shape infer_shape(const Shape& shape, const IndexList& target);

/// The same elements in the same order as another shape, or nothing when no strides can express it and the elements
/// must be copied (into `infer_shape(g.shape, target)`). One entry of `target` may be -1.
STRETTO_API std::optional<Geometry> reshape(const Geometry& g, const IndexList& target);

/// Swaps two axes.
STRETTO_API Geometry transpose(const Geometry& g, std::int64_t axis1, std::int64_t axis2);

/// Axis i of the result is axis `axes[i]` of `g`; `axes` names each axis once.
STRETTO_API Geometry permute(const Geometry& g, const IndexList& axes);

/// Elements start, start + step, ... before `stop` along `axis`, by NumPy's rules: negative positions count from the
/// end, positions outside are moved to the edge, a negative step walks backwards, nothing means the edge. `step` is not
/// 0.
STRETTO_API Geometry slice(const Geometry& g, std::int64_t axis, std::optional<std::int64_t> start,
                           std::optional<std::int64_t> stop, std::int64_t step = 1);

/// Position `index` along `axis`, which disappears. Negative positions count from the end.
STRETTO_API Geometry select(const Geometry& g, std::int64_t axis, std::int64_t index);

/// Repeats axes of extent 1, and adds axes in front, to reach `target`; -1 keeps an extent.
STRETTO_API Geometry expand(const Geometry& g, const IndexList& target);

/// Removes every axis of extent 1.
STRETTO_API Geometry squeeze(const Geometry& g);

/// Removes `axis`, which must have extent 1.
STRETTO_API Geometry squeeze(const Geometry& g, std::int64_t axis);

/// Adds an axis of extent 1 before `axis`, which lies in [-rank - 1, rank].
STRETTO_API Geometry unsqueeze(const Geometry& g, std::int64_t axis);

/// The diagonal of `axis1` and `axis2`, `distance` to the right of the main one (negative: below it), as the last axis;
/// the two axes disappear.
STRETTO_API Geometry diagonal(const Geometry& g, std::int64_t distance = 0, std::int64_t axis1 = 0,
                              std::int64_t axis2 = 1);

}  // namespace geometry

}  // namespace stretto
