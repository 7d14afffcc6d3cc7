#pragma once

#include <cstdint>

#include <stretto/core/box.h>
#include <stretto/core/view_geometry.h>
#include <stretto/tensor/tensor.h>

#include "base/small_objects.h"
#include "engine/capture.h"
#include "tensor/live_handles.h"

namespace stretto {

/// What a Tensor points to: a view of a buffer. Never changes once made, so that threads share it freely.
struct TensorImplementation : detail::TensorReferences {
  TensorImplementation(BufferReference storage, DType type, const Geometry& view, bool is_whole);
  TensorImplementation(const TensorImplementation&) = delete;
  TensorImplementation& operator=(const TensorImplementation&) = delete;
  ~TensorImplementation() {
    if (live != nullptr) [[unlikely]]
      live->leave();
  }

  std::int64_t byte_offset() const { return geometry.offset * static_cast<std::int64_t>(item_size(dtype)); }
  std::int64_t bytes() const { return numel * static_cast<std::int64_t>(item_size(dtype)); }
  /// What of the buffer an access touches; null: all of it.
  const Box* access_box() const { return whole ? nullptr : &box; }
  /// Where the first element is. Only once the memory is there.
  std::byte* data() const { return buffer->data() + byte_offset(); }

  DType dtype;
  bool whole;       ///< Touches every byte of the buffer.
  bool contiguous;  ///< The elements lie in order without gaps.
  bool repeats;     ///< Some elements share memory.
  bool is_buffer;   ///< Whole, and begins where the buffer does. With what is around it in the first cache line.
  Device device;
  std::int64_t numel;
  BufferReference buffer;
  LiveHandles* live;  ///< Who counts it; null, nearly always.
  Geometry geometry;
  union {
    Box box;  ///< Only where not `whole`.
  };

  static void* operator new(std::size_t) { return SmallObjects::allocate(small_object_class); }
  static void operator delete(void* memory) { SmallObjects::free(memory, small_object_class); }

 private:
  static constexpr std::size_t small_object_class = 1;
};

/// The implementation of a tensor that is known to be defined.
inline const TensorImplementation& implementation_of(const Tensor& tensor) { return *tensor.implementation(); }

/// A view of `buffer`.
Tensor make_tensor(BufferReference buffer, DType dtype, const Geometry& geometry);

/// Throws UsageError with the operation's name and line when `tensor` is not defined.
inline const TensorImplementation& check_defined(const Tensor& tensor, const char* operation, const CallSite& site);

[[noreturn]] void throw_undefined(const char* operation, const CallSite& site);

inline const TensorImplementation& check_defined(const Tensor& tensor, const char* operation, const CallSite& site) {
  if (!tensor.defined()) [[unlikely]]
    throw_undefined(operation, site);
  return *tensor.implementation();
}

/// Tells a capture of the calling thread's of a tensor that is about to be used, or looked at in parts.
inline void note_origin(Capture& capture, const TensorImplementation& tensor) {
  if (tensor.live != LiveHandles::current()) capture.note_used_from_outside(*tensor.buffer);
}

/// "(2,3) float32": how errors describe a tensor.
std::string describe(const Shape& shape, DType dtype);

}  // namespace stretto
