#include "tensor/task_body.h"

#include <algorithm>
#include <new>

#include "engine/capture.h"
#include "tensor/default_generator.h"

namespace stretto {

/// What `TaskLayout` needs when a tensor is a part of its buffer.
struct TaskLayout::Parts {
  std::size_t count;
  std::size_t dimension_count;  ///< Of all parts together.

  std::size_t bytes() const {
    return sizeof(Parts) + count * sizeof(Part) + 2 * dimension_count * sizeof(std::int64_t);
  }
  Part* begin() { return reinterpret_cast<Part*>(this + 1); }
  std::int64_t* extents(const Part& part) {
    return reinterpret_cast<std::int64_t*>(begin() + count) + 2 * std::size_t{part.dimensions};
  }
  std::int64_t* strides(const Part& part) { return extents(part) + part.rank; }
};

TaskLayout::TaskLayout(std::span<const TensorImplementation* const> tensors) {
  bool whole = tensors.size() <= packed_capacity;
  std::uintptr_t packed = whole_buffers;
  for (std::size_t i = 0; whole && i < tensors.size(); ++i) {
    whole = tensors[i]->is_buffer;
    packed |= static_cast<std::uintptr_t>(tensors[i]->dtype) << (dtype_bits * (i + 1));
  }
  if (whole) {
    bits_ = packed;
    return;
  }
  Parts needed{tensors.size(), 0};
  for (const TensorImplementation* tensor : tensors)
    if (!tensor->whole) needed.dimension_count += static_cast<std::size_t>(tensor->geometry.shape.rank());
  auto* parts = new (detail::allocate_closure(needed.bytes())) Parts(needed);
  std::uint32_t dimensions = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const TensorImplementation& tensor = *tensors[i];
    const bool all = tensor.whole;
    const int rank = all ? 0 : tensor.geometry.shape.rank();
    const Part& part = *new (parts->begin() + i)
                           Part{.begin = tensor.byte_offset(),
                                .first = all ? 0 : tensor.box.offset(),
                                .end = all ? static_cast<std::int64_t>(tensor.buffer->bytes()) : tensor.box.end(),
                                .dtype = tensor.dtype,
                                .rank = static_cast<std::int8_t>(rank),
                                .whole = all,
                                .dimensions = dimensions};
    std::copy_n(tensor.geometry.shape.begin(), rank, parts->extents(part));
    std::copy_n(tensor.geometry.strides.begin(), rank, parts->strides(part));
    dimensions += static_cast<std::uint32_t>(rank);
  }
  bits_ = reinterpret_cast<std::uintptr_t>(parts);
}

TaskLayout::~TaskLayout() {
  if ((bits_ & whole_buffers) == 0) detail::free_closure(parts(), parts()->bytes());
}

TaskLayout::Part TaskLayout::part(std::size_t access, std::size_t buffer_bytes) const {
  if ((bits_ & whole_buffers) == 0) return parts()->begin()[access];
  const auto dtype = static_cast<DType>((bits_ >> (dtype_bits * (access + 1))) & ((1u << dtype_bits) - 1));
  return {.begin = 0,
          .first = 0,
          .end = static_cast<std::int64_t>(buffer_bytes),
          .dtype = dtype,
          .rank = 0,
          .whole = true,
          .dimensions = 0};
}

Box TaskLayout::box(std::size_t access, std::size_t buffer_bytes) const {
  const Part declared = part(access, buffer_bytes);
  if (declared.whole) return Box::whole(static_cast<std::int64_t>(buffer_bytes));
  const auto rank = static_cast<std::size_t>(declared.rank);
  return Box(declared.begin, item_size(declared.dtype),
             Shape(std::span<const std::int64_t>(parts()->extents(declared), rank)),
             Strides(std::span<const std::int64_t>(parts()->strides(declared), rank)));
}

namespace {

/// Lets the engine see the layout while the body runs.
class TaskParts final : public DeclaredParts {
 public:
  TaskParts(BodyContext& context, const TaskLayout& layout) : context_(context), layout_(layout) {
    context_.set_parts(this);
  }
  TaskParts(const TaskParts&) = delete;
  TaskParts& operator=(const TaskParts&) = delete;
  ~TaskParts() { context_.set_parts(nullptr); }

  Box part(std::size_t access, std::size_t buffer_bytes) const override { return layout_.box(access, buffer_bytes); }

 private:
  BodyContext& context_;
  const TaskLayout& layout_;
};

}  // namespace

void TaskBody::operator()(BodyContext& context) {
  const TaskRandomScope random(random_key_);
  const TaskParts parts(context, layout_);
  TaskContext arguments(context, layout_);
  body_(&arguments);
}

/// All runs call the one callable.
class RepeatedTask final : public RepeatableBody {
 public:
  RepeatedTask(detail::Closure&& body, TaskLayout&& layout, std::uint64_t random_key, std::uint64_t number)
      : body_(std::move(body)), layout_(std::move(layout)), random_key_(random_key), number_(number) {}

  void run(BodyContext& context, const RunSeed* seed) const override {
    const TaskRandomScope random(seed == nullptr ? random_key_ : task_key(seed->key, seed->number + number_));
    const TaskParts parts(context, layout_);
    TaskContext arguments(context, layout_);
    body_.call_const(&arguments);
  }

 private:
  const detail::Closure body_;
  const TaskLayout layout_;
  const std::uint64_t random_key_;
  const std::uint64_t number_;
};

std::shared_ptr<const RepeatableBody> TaskBody::repeatable() {
  if (!body_.is_const_callable()) return nullptr;
  return std::make_shared<RepeatedTask>(std::move(body_), std::move(layout_), random_key_,
                                        Capture::current()->count_drawing_task());
}

}  // namespace stretto
