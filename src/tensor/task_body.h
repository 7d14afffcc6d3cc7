#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <stretto/tensor/closure.h>
#include <stretto/tensor/task.h>

#include "engine/repeatable_body.h"
#include "engine/submission.h"
#include "tensor/tensor_implementation.h"

namespace stretto {

/// Which part of each accessed buffer a person's task declared, and as which type.
class TaskLayout {
 public:
  /// `tensors` in the order of their declaration.
  explicit TaskLayout(std::span<const TensorImplementation* const> tensors);
  TaskLayout(TaskLayout&& other) noexcept : bits_(std::exchange(other.bits_, whole_buffers)) {}
  TaskLayout& operator=(TaskLayout&&) = delete;
  ~TaskLayout();

  struct Part {
    std::int64_t begin;  ///< The byte of the buffer where its element (0, 0, ...) is.
    std::int64_t first;  ///< All its bytes lie in [first, end).
    std::int64_t end;
    DType dtype;
    std::int8_t rank;
    bool whole;                ///< Every byte of its buffer.
    std::uint32_t dimensions;  ///< Where its extents and strides are kept.
  };
  /// Of the access with this number; `buffer_bytes` is the size of its buffer.
  Part part(std::size_t access, std::size_t buffer_bytes) const;
  /// The same as the very bytes.
  Box box(std::size_t access, std::size_t buffer_bytes) const;

 private:
  static constexpr std::uintptr_t whole_buffers = 1;
  static constexpr int dtype_bits = 4;
  static constexpr std::size_t packed_capacity = 15;
  struct Parts;

  Parts* parts() const { return reinterpret_cast<Parts*>(bits_); }

  /// Tensors that are whole buffers, the usual case, need no memory: `whole_buffers` and four bits of type each.
  /// Otherwise Parts*.
  std::uintptr_t bits_;
};

/// The body of a person's task as the engine keeps it.
class TaskBody {
 public:
  TaskBody(detail::Closure&& body, TaskLayout&& layout, std::uint64_t random_key)
      : body_(std::move(body)), layout_(std::move(layout)), random_key_(random_key) {}

  void operator()(BodyContext& context);

  /// For the calling thread's capture.
  std::shared_ptr<const RepeatableBody> repeatable();

 private:
  detail::Closure body_;
  TaskLayout layout_;
  std::uint64_t random_key_;
};
static_assert(sizeof(TaskBody) <= Task::inline_closure);

}  // namespace stretto
