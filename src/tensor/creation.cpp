#include <stretto/tensor/creation.h>

#include <cstring>

#include <stretto/base/error.h>

#include "engine/engine.h"
#include "tensor/operator_call.h"
#include "tensor/tensor_implementation.h"
#include "tensor/with_context.h"

namespace stretto {

namespace {

void check_count(std::size_t count, const Shape& shape) {
  if (static_cast<std::size_t>(shape.numel()) == count) return;
  throw ShapeError(std::to_string(count) + " values do not fill shape " + to_string(shape) + ", which has " +
                   std::to_string(shape.numel()) + " elements");
}

}  // namespace

Tensor empty(const Shape& shape, Device device, DType dtype, CallSite site) {
  return with_context("empty", site, [&] { return make_output(shape, dtype, device); });
}

namespace detail {

Tensor from_host_memory(const char* name, const void* values, std::size_t count, DType dtype, const Shape& shape,
                        Device device, CallSite site) {
  return with_context(name, site, [&] {
    check_count(count, shape);
    Engine::get().check_device(device);
    const bool on_cpu = device.kind() == DeviceKind::cpu;
    const Tensor tensor = make_output(shape, dtype, on_cpu ? device : Device());
    std::byte* memory = Engine::get().bind_now(*implementation_of(tensor).buffer);
    if (count > 0) std::memcpy(memory, values, count * item_size(dtype));
    return on_cpu ? tensor : tensor.to(device, site);
  });
}

Tensor borrow_memory(void* values, std::size_t count, DType dtype, const Shape& shape,
                     std::shared_ptr<const void> owner, Device device, CallSite site) {
  return with_context("borrow", site, [&] {
    check_count(count, shape);
    if (device.kind() != DeviceKind::cpu) {
      throw DeviceError("memory of the host can be borrowed for CPU devices, not for " + to_string(device) +
                        ": copy it there with to(device)");
    }
    BufferReference buffer =
        Engine::get().borrow(device, static_cast<std::byte*>(values), count * item_size(dtype), std::move(owner));
    return make_tensor(std::move(buffer), dtype, geometry::contiguous(shape));
  });
}

}  // namespace detail

}  // namespace stretto
