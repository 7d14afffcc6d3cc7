#include "tensor/tensor_implementation.h"

#include <memory>

#include <stretto/base/error.h>

namespace stretto {

static_assert(sizeof(TensorImplementation) <= SmallObjects::sizes[1]);

TensorImplementation::TensorImplementation(BufferReference storage, DType type, const Geometry& view, bool is_whole)
    : dtype(type),
      whole(is_whole),
      contiguous(true),
      repeats(false),
      is_buffer(is_whole && view.offset == 0),
      device(storage->device()),
      numel(view.shape.numel()),
      buffer(std::move(storage)),
      live(LiveHandles::enter()),
      geometry(view) {}

Tensor make_tensor(BufferReference buffer, DType dtype, const Geometry& geometry) {
  const auto bytes = static_cast<std::int64_t>(buffer->bytes());
  const Box box(geometry, item_size(dtype));
  const bool whole = bytes == 0 || (box.rank() == 0 && box.run() == bytes);
  auto* implementation = new TensorImplementation(std::move(buffer), dtype, geometry, whole);
  if (!whole) std::construct_at(&implementation->box, box);
  implementation->contiguous = is_contiguous(geometry.shape, geometry.strides);
  for (int axis = 0; axis < geometry.shape.rank(); ++axis)
    implementation->repeats |= geometry.shape[axis] > 1 && geometry.strides[axis] == 0;
  return Tensor::adopt(implementation);
}

void Tensor::destroy(TensorImplementation* implementation) noexcept { delete implementation; }

void throw_undefined(const char* operation, const CallSite& site) {
  throw UsageError(operation, "the tensor is not defined: it was made by Tensor() and nothing was assigned to it",
                   site);
}

std::string describe(const Shape& shape, DType dtype) { return to_string(shape) + " " + std::string(name(dtype)); }

}  // namespace stretto
