#include <cstring>

#include <stretto/base/error.h>
#include <stretto/tensor/devices.h>
#include <stretto/tensor/task.h>
#include <stretto/tensor/tensor.h>

#include "base/touch_pages.h"
#include "engine/engine.h"
#include "tensor/movement.h"
#include "tensor/tensor_implementation.h"

namespace stretto {

void detail::copy_to_fresh(void* to, const void* from, std::size_t bytes) {
  copy_to_fresh_pages(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes);
}

namespace {

void wait_for(const TensorImplementation& tensor, const char* operation, const CallSite& site) {
  Engine::get().wait(*tensor.buffer, tensor.access_box(), operation, site);
}

void check_dtype(const TensorImplementation& tensor, DType dtype, const char* operation, const CallSite& site) {
  if (tensor.dtype == dtype) return;
  throw DTypeError(operation,
                   "the tensor is " + std::string(name(tensor.dtype)) + ", not " + std::string(name(dtype)) +
                       ": convert it with to(dtype)",
                   site);
}

}  // namespace

void Tensor::wait(CallSite site) const { wait_for(check_defined(*this, "wait", site), "wait", site); }

Scalar Tensor::item(CallSite site) const {
  const TensorImplementation& tensor = check_defined(*this, "item", site);
  if (tensor.numel != 1) {
    throw ShapeError("item", "a tensor of shape " + to_string(tensor.geometry.shape) + " is not a single number", site);
  }
  if (tensor.device.kind() != DeviceKind::cpu) return move_to(*this, Device(), "item", site).item(site);
  wait_for(tensor, "item", site);
  return visit_dtype(tensor.dtype, [&]<typename T>(std::type_identity<T>) {
    T value;
    std::memcpy(&value, tensor.data(), sizeof(value));
    return Scalar(value);
  });
}

Tensor Tensor::snapshot(DType dtype, SnapshotKind kind, const char* operation, CallSite site) const {
  const TensorImplementation& tensor = check_defined(*this, operation, site);
  check_dtype(tensor, dtype, operation, site);
  Engine::get().submit_held();
  Tensor values;
  if (tensor.device.kind() != DeviceKind::cpu) {
    values = move_to(*this, Device(), operation, site);
  } else {
    // What is borrowed the program may still change.
    const bool alone = tensor.count.load(std::memory_order_acquire) == 1 && tensor.buffer.use_count() == 1 &&
                       !tensor.buffer->borrowed();
    const bool as_it_is = kind == SnapshotKind::peek || (kind == SnapshotKind::take_over && alone);
    values = as_it_is && tensor.contiguous ? *this : convert(*this, dtype, operation, site);
  }
  wait_for(implementation_of(values), operation, site);
  return values;
}

const std::byte* Tensor::host_data() const noexcept { return implementation_->data(); }

void Tensor::submit_host_write(DType dtype, detail::Closure closure, CallSite site) const {
  const TensorImplementation& tensor = check_defined(*this, "host_write", site);
  check_dtype(tensor, dtype, "host_write", site);
  Capture::give_up("writes by host_write");
  if (tensor.repeats) {
    throw UsageError("host_write",
                     "cannot write into a tensor whose elements share memory, as expand makes them: clone it first",
                     site);
  }
  const bool in_place = tensor.device.kind() == DeviceKind::cpu && tensor.contiguous;
  // A tensor that is elsewhere, or has gaps, is changed in a copy of its own, which is then written back.
  Tensor values = in_place ? *this : move_to(*this, cpu(), "host_write", site);
  if (!implementation_of(values).contiguous) values = convert(values, dtype, "host_write", site);
  const auto count = static_cast<std::size_t>(tensor.numel);
  task("host_write", values.device(), site)
      .read_write(values)
      .run([closure = std::move(closure), dtype, count](TaskContext& context) mutable {
        detail::HostValues host{nullptr, count};
        visit_dtype(dtype, [&]<typename T>(std::type_identity<T>) { host.data = context.data<T>(0); });
        closure(&host);
      });
  if (!in_place) copy_(Operand(values, site));
}

}  // namespace stretto
