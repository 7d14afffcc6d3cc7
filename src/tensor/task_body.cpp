#include "tensor/task_body.h"

#include <new>

#include "tensor/default_generator.h"

namespace stretto {

/// What `TaskLayout` needs when a tensor is a part of its buffer.
struct TaskLayout::Parts {
  std::size_t count;

  static std::size_t bytes(std::size_t count) { return sizeof(Parts) + count * sizeof(Part); }
  Part* begin() { return reinterpret_cast<Part*>(this + 1); }
};

TaskLayout::TaskLayout(std::span<const TensorImplementation* const> tensors) {
  bool whole = tensors.size() <= packed_capacity;
  std::uintptr_t packed = whole_buffers;
  for (std::size_t i = 0; whole && i < tensors.size(); ++i) {
    whole = tensors[i]->whole && tensors[i]->geometry.offset == 0;
    packed |= static_cast<std::uintptr_t>(tensors[i]->dtype) << (dtype_bits * (i + 1));
  }
  if (whole) {
    bits_ = packed;
    return;
  }
  auto* parts = new (detail::allocate_closure(Parts::bytes(tensors.size()))) Parts{tensors.size()};
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const TensorImplementation& tensor = *tensors[i];
    const bool all = tensor.whole;
    new (parts->begin() + i) Part{.begin = tensor.byte_offset(),
                                  .first = all ? 0 : tensor.box.offset(),
                                  .end = all ? static_cast<std::int64_t>(tensor.buffer->bytes()) : tensor.box.end(),
                                  .dtype = tensor.dtype};
  }
  bits_ = reinterpret_cast<std::uintptr_t>(parts);
}

TaskLayout::~TaskLayout() {
  if ((bits_ & whole_buffers) == 0) detail::free_closure(parts(), Parts::bytes(parts()->count));
}

TaskLayout::Part TaskLayout::part(std::size_t access, std::size_t buffer_bytes) const {
  if ((bits_ & whole_buffers) == 0) return parts()->begin()[access];
  const auto dtype = static_cast<DType>((bits_ >> (dtype_bits * (access + 1))) & ((1u << dtype_bits) - 1));
  return {.begin = 0, .first = 0, .end = static_cast<std::int64_t>(buffer_bytes), .dtype = dtype};
}

void TaskBody::operator()(BodyContext& context) {
  const TaskRandomScope random(random_key_);
  TaskContext arguments(context, layout_);
  body_(&arguments);
}

}  // namespace stretto
