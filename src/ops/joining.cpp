#include <algorithm>
#include <string>

#include <stretto/base/error.h>
#include <stretto/core/promotion.h>
#include <stretto/ops/joining.h>

#include "ops/operands.h"
#include "ops/operator_kernel.h"
#include "tensor/operator_call.h"
#include "tensor/tensor_implementation.h"

namespace stretto {

namespace {

DType joined_dtype(const std::vector<Tensor>& tensors) {
  std::vector<PromotionOperand> operands;
  operands.reserve(tensors.size());
  for (const Tensor& tensor : tensors) operands.push_back(PromotionOperand::tensor(tensor.dtype(), tensor.rank()));
  return result_type(operands);
}

void check_joined(const std::vector<Tensor>& tensors, const char* name, const CallSite& site) {
  if (tensors.empty()) throw UsageError(name, "there is no tensor to join", site);
  const Device device = check_defined(tensors.front(), name, site).device;
  for (const Tensor& tensor : tensors) {
    const Device other = check_defined(tensor, name, site).device;
    if (other == device) continue;
    throw DeviceError(name,
                      "tensors are on different devices, " + to_string(device) + " and " + to_string(other) +
                          ": move one with to(device)",
                      site);
  }
}

/// Copies each tensor into its part of `output`, which has `axis`.
void fill_parts(const char* name, const CallSite& site, const std::vector<Tensor>& tensors, const Tensor& output,
                int axis) {
  std::int64_t position = 0;
  for (const Tensor& tensor : tensors) {
    const std::int64_t extent = tensor.shape()[axis];
    const Tensor part = output.narrow(axis, position, extent, site);
    OperatorCall call(name, operator_kernel<"copy">().row, site);
    call.write(part);
    call.read(tensor);
    apply(call);
    position += extent;
  }
}

Tensor join(const char* name, const CallSite& site, const std::vector<Tensor>& tensors, int axis) {
  Shape shape = tensors.front().shape();
  std::int64_t extent = 0;
  for (const Tensor& tensor : tensors) {
    Shape other = tensor.shape();
    const bool same_rank = other.rank() == shape.rank();
    if (same_rank) {
      extent += other[axis];
      other[axis] = shape[axis];
    }
    if (same_rank && other == shape) continue;
    throw ShapeError(name,
                     "shapes " + to_string(tensors.front().shape()) + " and " + to_string(tensor.shape()) +
                         " differ on another axis than " + std::to_string(axis),
                     site);
  }
  shape[axis] = extent;
  return in_operator(name, site, [&] {
    Tensor output = make_output(shape, joined_dtype(tensors), tensors.front().device());
    fill_parts(name, site, tensors, output, axis);
    return output;
  });
}

}  // namespace

Tensor concat(const std::vector<Tensor>& tensors, std::int64_t axis, CallSite site) {
  check_joined(tensors, "concat", site);
  const Shape& shape = tensors.front().shape();
  if (shape.rank() == 0) throw ShapeError("concat", "tensors of rank 0 have no axis to join along: stack them", site);
  return join("concat", site, tensors, checked_axis(axis, shape, "concat", site));
}

Tensor stack(const std::vector<Tensor>& tensors, std::int64_t axis, CallSite site) {
  check_joined(tensors, "stack", site);
  const Shape& shape = tensors.front().shape();
  std::vector<Tensor> slices;
  slices.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    if (!(tensor.shape() == shape)) {
      throw ShapeError("stack", "shapes " + to_string(shape) + " and " + to_string(tensor.shape()) + " differ", site);
    }
    slices.push_back(in_operator("stack", site, [&] { return tensor.unsqueeze(axis, site); }));
  }
  const int rank = shape.rank() + 1;
  return join("stack", site, slices, normalize_axis(axis, rank));
}

namespace {

/// Pieces of `size` positions; the last may be shorter. At least one.
std::vector<Tensor> pieces(const Tensor& x, std::int64_t size, int axis, const CallSite& site) {
  const std::int64_t extent = x.shape()[axis];
  std::vector<Tensor> parts;
  std::int64_t position = 0;
  do {
    parts.push_back(x.slice(axis, position, std::min(extent, position + size), 1, site));
    position += size;
  } while (position < extent);
  return parts;
}

int split_axis(const Tensor& x, std::int64_t axis, const char* name, const CallSite& site) {
  const Shape& shape = check_defined(x, name, site).geometry.shape;
  if (shape.rank() == 0) throw ShapeError(name, "a tensor of rank 0 cannot be taken apart", site);
  return checked_axis(axis, shape, name, site);
}

}  // namespace

std::vector<Tensor> split(const Tensor& x, std::int64_t size, std::int64_t axis, CallSite site) {
  const int along = split_axis(x, axis, "split", site);
  if (size <= 0) throw UsageError("split", "the size of a piece must be positive, not " + std::to_string(size), site);
  return pieces(x, size, along, site);
}

std::vector<Tensor> split_with_sizes(const Tensor& x, const std::vector<std::int64_t>& sizes, std::int64_t axis,
                                     CallSite site) {
  constexpr const char* name = "split_with_sizes";
  const int along = split_axis(x, axis, name, site);
  const std::int64_t extent = x.shape()[along];
  std::int64_t left = extent;
  for (const std::int64_t size : sizes) {
    if (size < 0 || size > left) left = -1;
    if (left < 0) break;
    left -= size;
  }
  if (left != 0) {
    std::string text;
    for (const std::int64_t size : sizes) text += (text.empty() ? "" : " + ") + std::to_string(size);
    throw ShapeError(name, "pieces of " + text + " do not make up an axis of " + std::to_string(extent), site);
  }
  std::vector<Tensor> parts;
  std::int64_t position = 0;
  for (const std::int64_t size : sizes) {
    parts.push_back(x.narrow(along, position, size, site));
    position += size;
  }
  return parts;
}

std::vector<Tensor> chunk(const Tensor& x, std::int64_t chunks, std::int64_t axis, CallSite site) {
  const int along = split_axis(x, axis, "chunk", site);
  if (chunks <= 0) {
    throw UsageError("chunk", "the number of chunks must be positive, not " + std::to_string(chunks), site);
  }
  const std::int64_t extent = x.shape()[along];
  if (extent == 0) return std::vector<Tensor>(static_cast<std::size_t>(chunks), x);
  return pieces(x, (extent + chunks - 1) / chunks, along, site);
}

}  // namespace stretto
