#include <stretto/base/error.h>
#include <stretto/core/view_geometry.h>
#include <stretto/tensor/tensor.h>

#include "tensor/tensor_implementation.h"

namespace stretto {

namespace {

Tensor view_of(const TensorImplementation& base, const Geometry& geometry) {
  // The view will look as if it were made of something from inside.
  if (Capture* const capture = Capture::current()) [[unlikely]]
    note_origin(*capture, base);
  return make_tensor(base.buffer, base.dtype, geometry);
}

/// The view of `tensor` with the geometry that `derive` makes of its own; its errors get the operation's name and line.
template <typename Derive>
Tensor view(const Tensor& tensor, const char* operation, const CallSite& site, Derive derive) {
  const TensorImplementation& base = check_defined(tensor, operation, site);
  try {
    return view_of(base, derive(base.geometry));
  } catch (Error& error) {
    error.with_context(operation, site);
    throw;
  }
}

/// Reshapes under the name of the operation that asked for it.
Tensor reshape_as(const Tensor& tensor, const IndexList& shape, const char* operation, const CallSite& site) {
  const TensorImplementation& base = check_defined(tensor, operation, site);
  std::optional<Geometry> geometry;
  try {
    geometry = geometry::reshape(base.geometry, shape);
    if (!geometry) {
      const Tensor copy = tensor.clone(site);
      return make_tensor(implementation_of(copy).buffer, base.dtype,
                         geometry::contiguous(geometry::infer_shape(base.geometry.shape, shape)));
    }
  } catch (Error& error) {
    error.with_context(operation, site);
    throw;
  }
  return view_of(base, *geometry);
}

}  // namespace

Tensor Tensor::reshape(const IndexList& shape, CallSite site) const {
  return reshape_as(*this, shape, "reshape", site);
}

Tensor Tensor::flatten(std::int64_t first, std::int64_t last, CallSite site) const {
  const Shape& shape = check_defined(*this, "flatten", site).geometry.shape;
  if (shape.rank() == 0) return reshape_as(*this, {1}, "flatten", site);
  IndexList flat;
  try {
    const int begin = normalize_axis(first, shape.rank());
    const int end = normalize_axis(last, shape.rank());
    if (begin > end) {
      throw ShapeError("axis " + std::to_string(begin) + " comes after axis " + std::to_string(end) + " of shape " +
                       to_string(shape));
    }
    std::int64_t joined = 1;
    for (int axis = begin; axis <= end; ++axis) joined *= shape[axis];
    for (int axis = 0; axis < begin; ++axis) flat.push_back(shape[axis]);
    flat.push_back(joined);
    for (int axis = end + 1; axis < shape.rank(); ++axis) flat.push_back(shape[axis]);
  } catch (Error& error) {
    error.with_context("flatten", site);
    throw;
  }
  return reshape_as(*this, flat, "flatten", site);
}

Tensor Tensor::transpose(std::int64_t axis1, std::int64_t axis2, CallSite site) const {
  return view(*this, "transpose", site, [&](const Geometry& g) { return geometry::transpose(g, axis1, axis2); });
}

Tensor Tensor::t(CallSite site) const {
  return view(*this, "t", site, [](const Geometry& g) {
    if (g.shape.rank() > 2) {
      throw ShapeError("shape " + to_string(g.shape) + " is not a matrix: write transpose or permute with the axes");
    }
    return g.shape.rank() < 2 ? g : geometry::transpose(g, 0, 1);
  });
}

Tensor Tensor::permute(const IndexList& axes, CallSite site) const {
  return view(*this, "permute", site, [&](const Geometry& g) { return geometry::permute(g, axes); });
}

Tensor Tensor::slice(std::int64_t axis, std::optional<std::int64_t> start, std::optional<std::int64_t> stop,
                     std::int64_t step, CallSite site) const {
  return view(*this, "slice", site, [&](const Geometry& g) { return geometry::slice(g, axis, start, stop, step); });
}

Tensor Tensor::operator[](const TensorIndex& index) const {
  return view(*this, "index", index.site, [&](const Geometry& g) {
    if (g.shape.rank() == 0) throw IndexError("a tensor of shape () has no axis to index");
    return geometry::select(g, 0, index.value);
  });
}

Tensor Tensor::select(std::int64_t axis, std::int64_t index, CallSite site) const {
  return view(*this, "select", site, [&](const Geometry& g) { return geometry::select(g, axis, index); });
}

Tensor Tensor::narrow(std::int64_t axis, std::int64_t start, std::int64_t length, CallSite site) const {
  return view(*this, "narrow", site, [&](const Geometry& g) {
    const std::int64_t extent = g.shape[normalize_axis(axis, g.shape.rank())];
    const std::int64_t first = start < 0 ? start + extent : start;
    if (first < 0 || length < 0 || first > extent || length > extent - first) {
      throw IndexError(std::to_string(length) + " positions from " + std::to_string(start) + " are not all in axis " +
                       std::to_string(axis) + " of shape " + to_string(g.shape));
    }
    return geometry::slice(g, axis, first, first + length);
  });
}

Tensor Tensor::expand(const IndexList& shape, CallSite site) const {
  return view(*this, "expand", site, [&](const Geometry& g) { return geometry::expand(g, shape); });
}

Tensor Tensor::squeeze(CallSite site) const {
  return view(*this, "squeeze", site, [](const Geometry& g) { return geometry::squeeze(g); });
}

Tensor Tensor::squeeze(std::int64_t axis, CallSite site) const {
  return view(*this, "squeeze", site, [&](const Geometry& g) { return geometry::squeeze(g, axis); });
}

Tensor Tensor::unsqueeze(std::int64_t axis, CallSite site) const {
  return view(*this, "unsqueeze", site, [&](const Geometry& g) { return geometry::unsqueeze(g, axis); });
}

Tensor Tensor::diagonal(std::int64_t distance, std::int64_t axis1, std::int64_t axis2, CallSite site) const {
  return view(*this, "diagonal", site,
              [&](const Geometry& g) { return geometry::diagonal(g, distance, axis1, axis2); });
}

}  // namespace stretto
