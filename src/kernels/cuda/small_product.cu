#include "kernels/cuda/small_product.h"

#include <cuda_pipeline.h>

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
constexpr std::int64_t few_tiles = 100;  ///< A product of 384 x 384 has 144.

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

// --- Factors that can be read in fours
// --------------------------------------------------------------------------------------------------

constexpr int four = 4;
constexpr int stages = 3;  ///< Tiles that are there or on their way.
/// Of a tile's line: so many bytes that fours stay aligned, and that lines side by side begin in different banks.
constexpr int pitch = side + four;
constexpr int pieces = side / four;  ///< Of a line.

using Lines = float[side][pitch];

/// One factor's tiles, copied without registers in between. A line is what lies side by side in memory: of a factor
/// that lies by columns a column.
template <int threads>
struct Copies {
  static constexpr int lines_at_once = threads / pieces;

  const float* anything;  ///< Read in the place of what the factor does not have.
  const float* from;
  std::int64_t next_lines;  ///< To the line that this thread copies next.
  std::int64_t next_tile;
  int line, piece;  ///< This thread's first, in the tile.

  __device__ Copies(const Matrix& factor, std::int64_t line_stride, int first_line, int first_in_line,
                    bool lines_are_steps)
      : anything(factor.data),
        next_lines(lines_at_once * line_stride),
        next_tile(lines_are_steps ? side * line_stride : side),
        line(static_cast<int>(threadIdx.x) / pieces),
        piece(static_cast<int>(threadIdx.x) % pieces * four) {
    from = factor.data + (first_line + line) * line_stride + (first_in_line + piece);
  }
  /// `lines_left` and `left_in_line`: how much of the factor there is from the tile's first element on. Zeros else.
  __device__ void start(Lines& tile, int lines_left, int left_in_line) {
#pragma unroll
    for (int i = 0; i < side / lines_at_once; ++i) {
      const int own = line + i * lines_at_once;
      const bool is_there = own < lines_left && piece < left_in_line;
      __pipeline_memcpy_async(&tile[own][piece], is_there ? from + i * next_lines : anything, sizeof(float4),
                              is_there ? 0 : sizeof(float4));
    }
    from += next_tile;
  }
};

/// Four steps of the depth of `count` lines of the result, of tiles whose lines are those (`line_of(i)`), or steps.
template <bool lines_are_steps, int count, class LineOf>
__device__ void read_four(const Lines& tile, int step, LineOf line_of, float (&values)[count][four]) {
#pragma unroll
  for (int i = 0; i < count; ++i) {
    if constexpr (lines_are_steps) {
#pragma unroll
      for (int k = 0; k < four; ++k) values[i][k] = tile[step + k][line_of(i)];
    } else {
      const float4 found = *reinterpret_cast<const float4*>(&tile[line_of(i)][step]);
      values[i][0] = found.x, values[i][1] = found.y, values[i][2] = found.z, values[i][3] = found.w;
    }
  }
}

/// The same sums, where extents, strides and addresses let four elements be copied at a time: `tall` by four elements a
/// thread. What a thread reads of a tile for a step are few vectors, which threads have in common.
template <int tall, bool left_by_columns, bool right_by_columns>
__global__ void __launch_bounds__(side* side / (tall * four))
    fours_kernel(const __grid_constant__ Matrix out, const __grid_constant__ Matrix left,
                 const __grid_constant__ Matrix right, const __grid_constant__ End end, int rows, int columns,
                 int depth) {
  constexpr int threads = side * side / (tall * four);
  __shared__ __align__(sizeof(float4)) Lines left_tiles[stages], right_tiles[stages];
  const int blocks_across = (columns + side - 1) / side;
  const int first_row = static_cast<int>(blockIdx.x) / blocks_across * side;
  const int first_column = static_cast<int>(blockIdx.x) % blocks_across * side;
  const int x = static_cast<int>(threadIdx.x) % pieces, y = static_cast<int>(threadIdx.x) / pieces;
  const auto row_of = [&](int i) { return y * tall + i; };
  // Neighbours have columns side by side where these are lines, or they would read the same banks.
  const auto column_of = [&](int j) { return right_by_columns ? x + pieces * j : x * four + j; };

  Copies<threads> lefts(left, left_by_columns ? left.column_stride : left.row_stride, left_by_columns ? 0 : first_row,
                        left_by_columns ? first_row : 0, left_by_columns);
  Copies<threads> rights(right, right_by_columns ? right.column_stride : right.row_stride,
                         right_by_columns ? first_column : 0, right_by_columns ? 0 : first_column, !right_by_columns);
  int steps_left = depth;
  const auto start = [&](int stage) {
    const int rows_left = rows - first_row, columns_left = columns - first_column;
    lefts.start(left_tiles[stage], left_by_columns ? steps_left : rows_left, left_by_columns ? rows_left : steps_left);
    rights.start(right_tiles[stage], right_by_columns ? columns_left : steps_left,
                 right_by_columns ? steps_left : columns_left);
    __pipeline_commit();
    steps_left -= side;
  };
#pragma unroll
  for (int stage = 0; stage < stages - 1; ++stage) start(stage);

  float sums[tall][four] = {};
  for (int begin = 0, stage = 0; begin < depth; begin += side, stage = stage + 1 == stages ? 0 : stage + 1) {
    __pipeline_wait_prior(stages - 2);
    __syncthreads();
    start(stage == 0 ? stages - 1 : stage - 1);
    const auto add_four = [&](int step) {
      float lines_of_left[tall][four], lines_of_right[four][four];
      read_four<left_by_columns>(left_tiles[stage], step, row_of, lines_of_left);
      read_four<!right_by_columns>(right_tiles[stage], step, column_of, lines_of_right);
#pragma unroll
      for (int k = 0; k < four; ++k)
#pragma unroll
        for (int i = 0; i < tall; ++i)
#pragma unroll
          for (int j = 0; j < four; ++j) sums[i][j] = __fmaf_rn(lines_of_left[i][k], lines_of_right[j][k], sums[i][j]);
    };
    // The depth is a multiple of four, so that nothing is added that is not there.
    if (begin + side <= depth) {
#pragma unroll
      for (int step = 0; step < side; step += four) add_four(step);
    } else {
      for (int step = 0; step < depth - begin; step += four) add_four(step);
    }
  }
#pragma unroll
  for (int i = 0; i < tall; ++i) {
#pragma unroll
    for (int j = 0; j < four; ++j) {
      const int row = first_row + row_of(i), column = first_column + column_of(j);
      if (row < rows && column < columns) *out.at(row, column) = end(sums[i][j], row, column);
    }
  }
}

// --- Launching
// ---------------------------------------------------------------------------------------------------------------------

Matrix matrix_of(const Array& array) { return {array.as<float>(), array.strides[0], array.strides[1]}; }
Matrix matrix_of(const Array* array) { return array == nullptr ? Matrix{} : matrix_of(*array); }

bool lies_by_columns(const Array& array) { return array.strides[0] == 1 && array.strides[1] != 1; }

bool can_be_read_in_fours(const Array& factor) {
  const int along = lies_by_columns(factor) ? 0 : 1;
  return factor.strides[along] == 1 && factor.strides[1 - along] % four == 0 && factor.shape[along] % four == 0 &&
         reinterpret_cast<std::uintptr_t>(factor.data) % sizeof(float4) == 0;
}

/// Calls `launch(kernel, threads)` with the one that fits how the factors lie.
template <int tall, class Launch>
void with_fours_kernel(bool left_by_columns, bool right_by_columns, Launch launch) {
  constexpr int threads = side * side / (tall * four);
  if (left_by_columns) {
    launch(right_by_columns ? &fours_kernel<tall, true, true> : &fours_kernel<tall, true, false>, threads);
  } else {
    launch(right_by_columns ? &fours_kernel<tall, false, true> : &fours_kernel<tall, false, false>, threads);
  }
}

template <class Launch>
void with_product_kernel(bool left_by_columns, bool right_by_columns, Launch launch) {
  if (left_by_columns) {
    launch(right_by_columns ? &product_kernel<true, true> : &product_kernel<true, false>, product_threads);
  } else {
    launch(right_by_columns ? &product_kernel<false, true> : &product_kernel<false, false>, product_threads);
  }
}

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
  const std::int64_t tiles = divide_up(rows, side) * divide_up(columns, side);
  const unsigned blocks = grid_of(tiles);
  cudaStream_t const stream = cuda_context(context).stream();
  const bool left_by_columns = lies_by_columns(left), right_by_columns = lies_by_columns(right);
  if (depth % four == 0 && can_be_read_in_fours(left) && can_be_read_in_fours(right)) {
    const auto launch = [&](auto kernel, int threads) {
      kernel<<<blocks, threads, 0, stream>>>(matrix_of(output), matrix_of(left), matrix_of(right), end,
                                             static_cast<int>(rows), static_cast<int>(columns),
                                             static_cast<int>(depth));
    };
    // Larger parts take fewer reads of tiles, smaller ones keep more of a processor busy where there are few tiles.
    if (tiles > few_tiles) {
      with_fours_kernel<4>(left_by_columns, right_by_columns, launch);
    } else {
      with_fours_kernel<2>(left_by_columns, right_by_columns, launch);
    }
  } else {
    with_product_kernel(left_by_columns, right_by_columns, [&](auto kernel, int threads) {
      kernel<<<blocks, threads, 0, stream>>>(matrix_of(output), matrix_of(left), matrix_of(right), end, rows, columns,
                                             depth);
    });
  }
  check_launch();
}

}  // namespace stretto
