#include "kernels/cuda/small_product.h"

#include <cstdint>

#include "kernels/cuda/check.h"
#include "kernels/cuda/cuda_context.h"
#include "kernels/cuda/layout.cuh"

namespace stretto {
namespace {

constexpr int side = 32;  ///< Of a block's tile of the result, and how deep its tiles of the factors are.
constexpr int across = 16;
constexpr int product_threads = across * across;
constexpr int loads = side * side / product_threads;  ///< Elements of each factor's tile that a thread loads.
constexpr std::int64_t most_work = std::int64_t{1} << 26;
constexpr std::int64_t deepest = 1024;
constexpr std::int64_t longest = 4096;

struct Matrix {
  float* data;
  std::int64_t row_stride;
  std::int64_t column_stride;

  __device__ float* at(std::int64_t row, std::int64_t column) const {
    return data + row * row_stride + column * column_stride;
  }
};

/// What becomes of each element when its sum is there.
struct End {
  Matrix addend;
  Matrix gate;
  float alpha;
  float beta;
  ProductEnding ending;

  __device__ float operator()(float sum, std::int64_t row, std::int64_t column) const {
    const float product = alpha * sum;
    const float value = beta == 0 ? product : product + beta * *addend.at(row, column);
    if (ending == ProductEnding::relu) return value <= 0 ? 0 : value;
    if (ending == ProductEnding::relu_backward) return *gate.at(row, column) <= 0 ? 0 : value;
    return value;
  }
};

/// One factor's tiles, one behind the other. Threads side by side load elements side by side in memory.
template <bool by_columns>
struct Tiles {
  const Matrix& matrix;
  std::int64_t rows, columns;

  __device__ static int row_of(int load) {
    const int item = static_cast<int>(threadIdx.x) + load * product_threads;
    return by_columns ? item % side : item / side;
  }
  __device__ static int column_of(int load) {
    const int item = static_cast<int>(threadIdx.x) + load * product_threads;
    return by_columns ? item / side : item % side;
  }
  __device__ void load(std::int64_t first_row, std::int64_t first_column, float (&values)[loads]) const {
#pragma unroll
    for (int i = 0; i < loads; ++i) {
      const std::int64_t row = first_row + row_of(i), column = first_column + column_of(i);
      values[i] = row < rows && column < columns ? *matrix.at(row, column) : 0;
    }
  }
  __device__ void store(const float (&values)[loads], float (&tile)[side][side + 1]) const {
#pragma unroll
    for (int i = 0; i < loads; ++i) tile[row_of(i)][column_of(i)] = values[i];
  }
};

/// A block a tile of the result, two by two elements a thread. While one pair of tiles is multiplied the next is on its
/// way.
template <bool left_by_columns, bool right_by_columns>
__global__ void __launch_bounds__(product_threads)
    product_kernel(const __grid_constant__ Matrix out, const __grid_constant__ Matrix left,
                   const __grid_constant__ Matrix right, const __grid_constant__ End end, std::int64_t rows,
                   std::int64_t columns, std::int64_t depth) {
  __shared__ float left_tiles[2][side][side + 1], right_tiles[2][side][side + 1];
  const Tiles<left_by_columns> lefts{left, rows, depth};
  const Tiles<right_by_columns> rights{right, depth, columns};
  const std::int64_t blocks_across = (columns + side - 1) / side;
  const std::int64_t first_row = blockIdx.x / blocks_across * side;
  const std::int64_t first_column = blockIdx.x % blocks_across * side;
  const int x = static_cast<int>(threadIdx.x) % across, y = static_cast<int>(threadIdx.x) / across;
  float sums[2][2] = {};
  float next_left[loads], next_right[loads];
  lefts.load(first_row, 0, next_left);
  rights.load(0, first_column, next_right);
  int buffer = 0;
  for (std::int64_t begin = 0; begin < depth; begin += side, buffer ^= 1) {
    lefts.store(next_left, left_tiles[buffer]);
    rights.store(next_right, right_tiles[buffer]);
    __syncthreads();
    if (begin + side < depth) {
      lefts.load(first_row, begin + side, next_left);
      rights.load(begin + side, first_column, next_right);
    }
    const auto add = [&](int k) {
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j)
          sums[i][j] =
              __fmaf_rn(left_tiles[buffer][y + across * i][k], right_tiles[buffer][k][x + across * j], sums[i][j]);
    };
    if (begin + side <= depth) {
#pragma unroll
      for (int k = 0; k < side; ++k) add(k);
    } else {
      for (int k = 0; k < static_cast<int>(depth - begin); ++k) add(k);
    }
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const std::int64_t row = first_row + y + across * i, column = first_column + x + across * j;
      if (row >= rows || column >= columns) continue;
      *out.at(row, column) = end(sums[i][j], row, column);
    }
  }
}

Matrix matrix_of(const Array& array) { return {array.as<float>(), array.strides[0], array.strides[1]}; }
Matrix matrix_of(const Array* array) { return array == nullptr ? Matrix{} : matrix_of(*array); }

bool lies_by_columns(const Array& array) { return array.strides[0] == 1 && array.strides[1] != 1; }

}  // namespace

bool is_small_product(const Array& output, const Array& left) {
  if (output.dtype != DType::float32 || output.rank != 2) return false;
  const std::int64_t depth = left.shape[1];
  const std::int64_t rows = output.shape[0], columns = output.shape[1];
  return depth <= deepest && rows <= longest && columns <= longest && rows * columns * depth <= most_work;
}

void small_product(const SmallProduct& product, KernelContext& context) {
  const auto& [output, left, right, addend, alpha, beta, ending, gate] = product;
  const End end{matrix_of(addend), matrix_of(gate), alpha, beta, ending};
  const std::int64_t rows = output.shape[0], columns = output.shape[1], depth = left.shape[1];
  const unsigned blocks = grid_of(divide_up(rows, side) * divide_up(columns, side));
  const auto run = [&](auto kernel) {
    kernel<<<blocks, product_threads, 0, cuda_context(context).stream()>>>(matrix_of(output), matrix_of(left),
                                                                           matrix_of(right), end, rows, columns, depth);
  };
  if (lies_by_columns(left)) {
    run(lies_by_columns(right) ? &product_kernel<true, true> : &product_kernel<true, false>);
  } else {
    run(lies_by_columns(right) ? &product_kernel<false, true> : &product_kernel<false, false>);
  }
  check_launch();
}

}  // namespace stretto
