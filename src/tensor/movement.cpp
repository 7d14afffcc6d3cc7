#include "tensor/movement.h"

#include <stretto/base/error.h>

#include "engine/engine.h"
#include "kernels/kernel.h"
#include "tensor/operator_call.h"
#include "tensor/tensor_implementation.h"
#include "tensor/with_context.h"

namespace stretto {

namespace {

const KernelRow& copy_row = kernel_row("copy");
const KernelRow& fill_row = kernel_row("fill");
const KernelRow& transfer_row = kernel_row("transfer");

/// Copies elements on one device, of any type and layout.
void copy_elements(const Tensor& destination, const Tensor& source, const char* operation, const CallSite& site) {
  OperatorCall call(operation, copy_row, site);
  call.write(destination);
  call.read(source, implementation_of(destination).geometry.shape);
  apply(call);
}

}  // namespace

Tensor convert(const Tensor& source, DType dtype, const char* operation, const CallSite& site) {
  const TensorImplementation& from = implementation_of(source);
  Tensor result = with_context(operation, site, [&] { return make_output(from.geometry.shape, dtype, from.device); });
  copy_elements(result, source, operation, site);
  return result;
}

namespace {

/// Copies the bytes of a contiguous tensor into a contiguous one of the same type and size on another device.
void transfer(const Tensor& destination, const Tensor& source, const char* operation, const CallSite& site) {
  const Device from = implementation_of(source).device;
  const Device to = implementation_of(destination).device;
  OperatorCall call(operation, transfer_row, site);
  call.write(destination);
  call.read(source);
  if (from.kind() == DeviceKind::cpu) {
    apply_on(to, to.kind() == DeviceKind::cpu ? LaneRole::peer : LaneRole::from_host, call);
  } else if (to.kind() == DeviceKind::cpu) {
    apply_on(from, LaneRole::to_host, call);
  } else if (to.kind() == from.kind()) {
    apply_on(from, LaneRole::peer, call);
  } else {
    const TensorImplementation& values = implementation_of(source);
    const Tensor on_host =
        with_context(operation, site, [&] { return make_output(values.geometry.shape, values.dtype, Device()); });
    transfer(on_host, source, operation, site);
    transfer(destination, on_host, operation, site);
  }
}

}  // namespace

Tensor move_to(const Tensor& source, Device device, const char* operation, const CallSite& site) {
  const TensorImplementation& from = implementation_of(source);
  if (from.device == device) return source;
  const Tensor& lined_up = from.contiguous ? source : convert(source, from.dtype, operation, site);
  Tensor result = with_context(operation, site, [&] { return make_output(from.geometry.shape, from.dtype, device); });
  transfer(result, lined_up, operation, site);
  return result;
}

namespace {

void check_representable(const Scalar& value, DType dtype, const char* operation, const CallSite& site) {
  with_context(operation, site, [&] {
    visit_dtype(dtype, [&]<typename T>(std::type_identity<T>) { static_cast<void>(value.to<T>()); });
  });
}

void fill(const Tensor& tensor, const Scalar& value, const char* operation, const CallSite& site) {
  check_representable(value, implementation_of(tensor).dtype, operation, site);
  OperatorCall call(operation, fill_row, site);
  call.write(tensor);
  call.constant(value, implementation_of(tensor).dtype);
  apply(call);
}

void check_broadcast(const Geometry& source, const Shape& target, const CallSite& site) {
  with_context("copy_", site, [&] { static_cast<void>(broadcast_strides(source.shape, source.strides, target)); });
}

/// `copy_` from a tensor on another device.
void copy_across(const Tensor& destination, Tensor source, const CallSite& site) {
  const TensorImplementation& to = implementation_of(destination);
  check_broadcast(implementation_of(source).geometry, to.geometry.shape, site);
  // The smaller type travels.
  if (item_size(to.dtype) < item_size(implementation_of(source).dtype))
    source = convert(source, to.dtype, "copy_", site);
  const TensorImplementation& from = implementation_of(source);
  if (to.contiguous && !to.repeats && to.dtype == from.dtype && to.geometry.shape == from.geometry.shape) {
    transfer(destination, from.contiguous ? source : convert(source, from.dtype, "copy_", site), "copy_", site);
  } else {
    copy_elements(destination, move_to(source, to.device, "copy_", site), "copy_", site);
  }
}

}  // namespace

Tensor Tensor::to(Device device, CallSite site) const {
  check_defined(*this, "to", site);
  return move_to(*this, device, "to", site);
}

Tensor Tensor::to(DType dtype, CallSite site) const {
  const TensorImplementation& from = check_defined(*this, "to", site);
  return from.dtype == dtype ? *this : convert(*this, dtype, "to", site);
}

Tensor Tensor::clone(CallSite site) const {
  const TensorImplementation& from = check_defined(*this, "clone", site);
  return convert(*this, from.dtype, "clone", site);
}

Tensor Tensor::contiguous(CallSite site) const {
  const TensorImplementation& from = check_defined(*this, "contiguous", site);
  return from.contiguous ? *this : convert(*this, from.dtype, "contiguous", site);
}

const Tensor& Tensor::copy_(const Operand& source) const {
  const TensorImplementation& to = check_defined(*this, "copy_", source.site());
  if (!source.is_tensor()) {
    fill(*this, source.scalar(), "copy_", source.site());
    return *this;
  }
  const TensorImplementation& from = check_defined(source.tensor(), "copy_", source.site());
  if (from.device == to.device) {
    copy_elements(*this, source.tensor(), "copy_", source.site());
  } else {
    copy_across(*this, source.tensor(), source.site());
  }
  return *this;
}

const Tensor& Tensor::fill_(const Scalar& value, CallSite site) const {
  check_defined(*this, "fill_", site);
  fill(*this, value, "fill_", site);
  return *this;
}

const Tensor& Tensor::zero_(CallSite site) const {
  check_defined(*this, "zero_", site);
  fill(*this, 0, "zero_", site);
  return *this;
}

}  // namespace stretto
