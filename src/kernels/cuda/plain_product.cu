#include "kernels/cuda/plain_product.h"

#include <cstdint>

#include "kernels/cuda/check.h"
#include "kernels/cuda/cuda_context.h"
#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/layout.cuh"

namespace stretto {
namespace {

constexpr int product_threads = 256;

template <class T>
struct Operand {
  const T* data;
  std::int64_t along;  // stride of the depth
};

/// A thread an element of the output. Operands of the layout: output, left, right, addend.
template <class T, class Sum>
__global__ void __launch_bounds__(product_threads)
    product_kernel(T* out, Operand<T> left, Operand<T> right, const T* addend, Layout<4> layout, std::int64_t depth,
                   Sum alpha, Sum beta) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * product_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * product_threads + threadIdx.x; i < layout.count;
       i += step) {
    std::int64_t offsets[4];
    layout.offsets(i, offsets);
    Sum sum{0};
    for (std::int64_t k = 0; k < depth; ++k) {
      const auto a = convert<Sum>(left.data[offsets[1] + k * left.along]);
      const auto b = convert<Sum>(right.data[offsets[2] + k * right.along]);
      sum = sum + a * b;
    }
    sum = alpha * sum;
    if (addend != nullptr) sum = sum + beta * convert<Sum>(addend[offsets[3]]);
    out[offsets[0]] = convert<T>(sum);
  }
}

}  // namespace

void plain_product(const Array& output, const Array& left, const Array& right, const Array* addend, double alpha,
                   double beta, KernelContext& context) {
  const int rows = output.rank - 2, columns = output.rank - 1;
  Layout<4> layout;
  for (int axis = 0; axis < output.rank; ++axis) {
    layout.append(output.shape[axis],
                  {output.strides[axis], axis == columns ? 0 : left.strides[axis],
                   axis == rows ? 0 : right.strides[axis], addend == nullptr ? 0 : addend->strides[axis]});
  }
  if (layout.count == 0) return;
  visit_dtype(output.dtype, [&]<class T>(std::type_identity<T>) {
    // Integers wrap: unsigned, that is the same in the low bits.
    using Sum = std::conditional_t<Real<T> || Half<T>, Computed<T>, std::uint64_t>;
    const auto factor = [](double number) {
      if constexpr (std::same_as<Sum, std::uint64_t>)
        return static_cast<Sum>(static_cast<std::int64_t>(number));
      else
        return static_cast<Sum>(number);
    };
    product_kernel<T, Sum>
        <<<grid_of(divide_up(layout.count, product_threads)), product_threads, 0, cuda_context(context).stream()>>>(
            output.as<T>(), Operand<T>{left.as<const T>(), left.strides[columns]},
            Operand<T>{right.as<const T>(), right.strides[rows]}, addend == nullptr ? nullptr : addend->as<const T>(),
            layout, left.shape[columns], factor(alpha), factor(beta));
  });
  check_launch();
}

}  // namespace stretto
