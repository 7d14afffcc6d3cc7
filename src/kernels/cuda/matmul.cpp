#include <algorithm>
#include <cstdint>
#include <cstring>

#include <stretto/base/error.h>
#include <stretto/core/shape.h>

#include "kernels/cuda/copy.h"
#include "kernels/cuda/cuda_context.h"
#include "kernels/cuda/matrix_plans.h"
#include "kernels/cuda/plain_product.h"
#include "kernels/cuda/product_ending.h"
#include "kernels/cuda/small_product.h"
#include "kernels/kernel.h"
#include "kernels/parameters.h"

namespace stretto {
namespace {

constexpr std::size_t alignment = 256;

std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

void check_dtype(DType dtype) {
  if (dtype == DType::bool_)
    throw DTypeError("a matrix product of bool is not defined: convert to an integer type first");
}

std::size_t bytes_of(const Array& array) { return static_cast<std::size_t>(array.numel()) * item_size(array.dtype); }

/// The library reads a row-major matrix as the transpose of a column-major one. So it is given the operands in the
/// other order, each transposed, and makes the transpose of the result.
bool readable(const Array& array, LibraryMatrix& matrix) {
  const std::int64_t rows = array.shape[array.rank - 2], columns = array.shape[array.rank - 1];
  const std::int64_t row_stride = array.strides[array.rank - 2], column_stride = array.strides[array.rank - 1];
  if ((column_stride == 1 || columns == 1) && (row_stride >= columns || rows == 1)) {
    matrix = {array.data, columns, rows, rows == 1 ? columns : row_stride, 0, false};
    return true;
  }
  if ((row_stride == 1 || rows == 1) && (column_stride >= rows || columns == 1)) {
    matrix = {array.data, rows, columns, columns == 1 ? rows : column_stride, 0, true};
    return true;
  }
  return false;
}

/// An operand in C order in the workspace, where the library cannot read it as it lies.
struct Packed {
  Array array;
  std::int64_t strides[max_rank];

  Packed(const Array& from, std::byte* data) : array(from) {
    std::int64_t stride = 1;
    for (int axis = from.rank - 1; axis >= 0; --axis) {
      strides[axis] = stride;
      stride *= from.shape[axis];
    }
    array.data = data;
    array.strides = strides;
  }
};

/// Appends the products of a batch: as one call where the batch has one stride, otherwise one a matrix of the outer
/// axes.
void run_batch(const Array& output, const Array& left, const Array& right, LibraryProduct product, double alpha,
               double beta, std::byte* workspace, cudaStream_t stream) {
  std::int64_t extents[max_rank], strides[3][max_rank];
  int rank = 0;
  for (int axis = 0; axis < output.rank - 2; ++axis) {
    const std::int64_t extent = output.shape[axis];
    if (extent == 1) continue;
    const std::int64_t steps[] = {output.strides[axis], left.strides[axis], right.strides[axis]};
    bool merges = rank > 0;
    for (int k = 0; k < 3; ++k) merges = merges && strides[k][rank - 1] == extent * steps[k];
    const int at = merges ? rank - 1 : rank++;
    extents[at] = merges ? extents[at] * extent : extent;
    for (int k = 0; k < 3; ++k) strides[k][at] = steps[k];
  }
  product.batch = rank == 0 ? 1 : extents[rank - 1];
  if (rank > 0) {
    product.result.batch_stride = strides[0][rank - 1];
    product.right.batch_stride = strides[1][rank - 1];
    product.left.batch_stride = strides[2][rank - 1];
  }
  std::int64_t outer = 1;
  for (int axis = 0; axis < rank - 1; ++axis) outer *= extents[axis];
  const auto size = static_cast<std::int64_t>(item_size(product.dtype));
  for (std::int64_t index = 0; index < outer; ++index) {
    std::int64_t offsets[3] = {};
    std::int64_t rest = index;
    for (int axis = rank - 2; axis >= 0; --axis) {
      for (int k = 0; k < 3; ++k) offsets[k] += rest % extents[axis] * strides[k][axis];
      rest /= extents[axis];
    }
    LibraryProduct one = product;
    one.result.data = output.data + offsets[0] * size;
    one.right.data = left.data + offsets[1] * size;
    one.left.data = right.data + offsets[2] * size;
    run_product(one, alpha, beta, workspace, stream);
  }
}

/// output = alpha * left @ right + beta * output + bias, a row for all rows, which may be null.
void library_product(const Array& output, const Array& left, const Array& right, double alpha, double beta,
                     const std::byte* bias, bool reduced, KernelContext& context) {
  CudaKernelContext& cuda = cuda_context(context);
  LibraryProduct product{.dtype = output.dtype,
                         .left = {},
                         .right = {},
                         .result = {},
                         .batch = 1,
                         .reduced = reduced && output.dtype == DType::float32,
                         .bias = bias};
  if (!readable(output, product.result) || product.result.transposed)
    throw Error("a matrix product needs an output in C order");
  const bool left_packs = !readable(left, product.right), right_packs = !readable(right, product.left);
  const std::size_t left_bytes = left_packs ? aligned(bytes_of(left)) : 0;
  const std::size_t right_bytes = right_packs ? aligned(bytes_of(right)) : 0;
  std::byte* const space = cuda.workspace(product_workspace + left_bytes + right_bytes);
  const Packed packed_left(left, space + product_workspace);
  const Packed packed_right(right, space + product_workspace + left_bytes);
  if (left_packs) {
    copy_array(packed_left.array, left, context);
    readable(packed_left.array, product.right);
  }
  if (right_packs) {
    copy_array(packed_right.array, right, context);
    readable(packed_right.array, product.left);
  }
  run_batch(output, left_packs ? packed_left.array : left, right_packs ? packed_right.array : right, product, alpha,
            beta, space, cuda.stream());
}

/// output = alpha * left @ right + beta * addend, and then what `ending` makes of it. `addend` is null where there is
/// none.
struct Product {
  const Array& output;
  const Array& left;
  const Array& right;
  const Array* addend;
  double alpha;
  double beta;
  bool reduced;
  ProductEnding ending = ProductEnding::none;
  const Array* gate = nullptr;
};

/// Whether the library can add the addend while it ends the product: a row for all rows, where that is rounded as the
/// sum in two steps is. Of 16-bit types the library rounds the product first.
bool is_bias(const Product& product) {
  constexpr std::uintptr_t bias_alignment = 16;
  const Array* const addend = product.addend;
  return addend != nullptr && product.output.dtype == DType::float32 && product.alpha == 1 && product.beta == 1 &&
         addend->strides[0] == 0 && addend->strides[1] == 1 &&
         reinterpret_cast<std::uintptr_t>(addend->data) % bias_alignment == 0;
}

void compute(const Product& product, KernelContext& context) {
  const auto& [output, left, right, addend, alpha, beta, reduced, ending, gate] = product;
  check_dtype(output.dtype);
  if (output.numel() == 0) return;
  if (is_small_product(output, left)) {
    return small_product({.output = output,
                          .left = left,
                          .right = right,
                          .addend = addend,
                          .alpha = static_cast<float>(alpha),
                          .beta = static_cast<float>(beta),
                          .ending = ending,
                          .gate = gate},
                         context);
  }
  if (library_multiplies(output.dtype) && left.shape[left.rank - 1] > 0) {
    if (is_bias(product)) {
      library_product(output, left, right, 1, 0, addend->data, reduced, context);
    } else {
      if (addend != nullptr && beta != 0) copy_array(output, *addend, context);
      library_product(output, left, right, alpha, beta, nullptr, reduced, context);
    }
  } else {
    plain_product(output, left, right, beta == 0 ? nullptr : addend, alpha, beta, context);
  }
  end_product(output, ending, gate, context);
}

void matmul(const KernelCall& call, KernelContext& context) {
  compute({.output = call.outputs[0],
           .left = call.inputs[0],
           .right = call.inputs[1],
           .addend = nullptr,
           .alpha = 1,
           .beta = 0,
           .reduced = call.parameters.get<MatmulParameters>().reduced},
          context);
}

void matmul_relu_backward(const KernelCall& call, KernelContext& context) {
  compute({.output = call.outputs[0],
           .left = call.inputs[0],
           .right = call.inputs[1],
           .addend = nullptr,
           .alpha = 1,
           .beta = 0,
           .reduced = call.parameters.get<MatmulParameters>().reduced,
           .ending = ProductEnding::relu_backward,
           .gate = &call.inputs[2]},
          context);
}

template <ProductEnding ending>
void addmm(const KernelCall& call, KernelContext& context) {
  const auto factors = call.parameters.get<AddmmParameters>();
  compute({.output = call.outputs[0],
           .left = call.inputs[1],
           .right = call.inputs[2],
           .addend = &call.inputs[0],
           .alpha = factors.alpha,
           .beta = factors.beta,
           .reduced = factors.reduced,
           .ending = ending},
          context);
}

const KernelRegistration registrations[] = {
    {"matmul", DeviceKind::cuda, &matmul},
    {"matmul_relu_backward", DeviceKind::cuda, &matmul_relu_backward},
    {"addmm", DeviceKind::cuda, &addmm<ProductEnding::none>},
    {"addmm_relu", DeviceKind::cuda, &addmm<ProductEnding::relu>},
};

}  // namespace
}  // namespace stretto
