#include <stretto/base/error.h>
#include <stretto/core/shape.h>
#include <stretto/tensor/tensor.h>

#include "tensor/tensor_implementation.h"

namespace stretto {

const Shape& Tensor::shape(CallSite site) const { return check_defined(*this, "shape", site).geometry.shape; }

const Strides& Tensor::strides(CallSite site) const { return check_defined(*this, "strides", site).geometry.strides; }

DType Tensor::dtype(CallSite site) const { return check_defined(*this, "dtype", site).dtype; }

Device Tensor::device(CallSite site) const { return check_defined(*this, "device", site).device; }

std::int64_t Tensor::numel(CallSite site) const { return check_defined(*this, "numel", site).numel; }

int Tensor::rank(CallSite site) const { return check_defined(*this, "rank", site).geometry.shape.rank(); }

std::int64_t Tensor::size(std::int64_t axis, CallSite site) const {
  const Shape& shape = check_defined(*this, "size", site).geometry.shape;
  try {
    return shape[normalize_axis(axis, shape.rank())];
  } catch (Error& error) {
    error.with_context("size", site);
    throw;
  }
}

bool Tensor::is_contiguous(CallSite site) const { return check_defined(*this, "is_contiguous", site).contiguous; }

bool Tensor::shares_storage(const Tensor& other, CallSite site) const {
  return check_defined(*this, "shares_storage", site).buffer.get() ==
         check_defined(other, "shares_storage", site).buffer.get();
}

}  // namespace stretto
