#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <stretto/base/error.h>

#include "kernels/cpu/chunks.h"
#include "kernels/cpu/element_types.h"
#include "kernels/cpu/matrix_product.h"
#include "kernels/cpu/scratch.h"
#include "kernels/kernel.h"
#include "kernels/parameters.h"

namespace stretto {

namespace {

// Work is counted in multiply-adds. A chunk of less takes under ten microseconds.
constexpr std::int64_t chunk_work = std::int64_t{1} << 20;
// A product of less is computed by one chunk if there is a batch of them.
constexpr std::int64_t small_work = std::int64_t{1} << 22;
constexpr std::int64_t wanted_chunks = 16;
constexpr std::int64_t wide_tile = 2112;
constexpr std::int64_t narrow_tile = 192;
constexpr std::int64_t low_tile = 64;
constexpr std::int64_t rows_at_once = 32;
constexpr std::int64_t packed_limit = std::int64_t{64} << 20;  // bytes of the right operand packed at a time

// What becomes of each element of the result, as the elementwise operators of these names have it.
enum class Ending : std::uint8_t { none, relu, relu_backward };

// (rows, depth) @ (depth, columns); the result, which is contiguous, becomes alpha times that plus beta times `addend`,
// and then what `ending` makes of it.
struct MatrixProduct {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t depth;
  MatrixView left;
  MatrixView right;
  std::byte* result;
  DType dtype;
  double alpha = 1;
  double beta = 0;
  MatrixView addend{};
  Ending ending = Ending::none;
  MatrixView gate{};  // of relu_backward

  std::int64_t work() const { return rows * columns * depth; }
  std::int64_t sum_size() const {
    return visit_accumulated(dtype, []<class T, class Sum>(std::type_identity<T>, std::type_identity<Sum>) {
      return static_cast<std::int64_t>(sizeof(Sum));
    });
  }
  // Whether sums may grow in the result itself: nothing is done to them at the end.
  bool sums_in_result() const {
    return alpha == 1 && beta == 0 && ending == Ending::none &&
           static_cast<std::int64_t>(item_size(dtype)) == sum_size();
  }
};

struct Block {
  std::int64_t row;
  std::int64_t column;
  std::int64_t rows;
  std::int64_t columns;
};

// How a product is cut into tiles, each of which computes its elements from the first to the last term. Low and wide
// tiles pack the left operand just before it is used, usually once in all; the right operand is packed once and
// shared.
struct Tiling {
  std::int64_t tile_rows;
  std::int64_t tile_columns;
  std::int64_t row_tiles;
  std::int64_t column_tiles;

  explicit Tiling(const MatrixProduct& product) {
    const std::int64_t depth = std::max<std::int64_t>(product.depth, 1);
    cut_columns(product, divide_up(product.columns, wide_tile));
    tile_rows = round_up(std::max(low_tile, divide_up(chunk_work, tile_columns * depth)), row_unit);
    row_tiles = divide_up(product.rows, tile_rows);
    while (row_tiles * column_tiles < wanted_chunks && tile_columns >= 2 * narrow_tile &&
           std::min(tile_rows, product.rows) * tile_columns * depth >= 2 * chunk_work) {
      cut_columns(product, 2 * column_tiles);
    }
  }

  Block block(const MatrixProduct& product, std::int64_t row_tile, std::int64_t column_tile) const {
    const std::int64_t row = row_tile * tile_rows;
    const std::int64_t column = column_tile * tile_columns;
    return {row, column, std::min(tile_rows, product.rows - row), std::min(tile_columns, product.columns - column)};
  }

 private:
  void cut_columns(const MatrixProduct& product, std::int64_t tiles) {
    tile_columns = round_up(divide_up(product.columns, tiles), column_unit);
    column_tiles = divide_up(product.columns, tile_columns);
  }
};

// The sums of a block while they grow.
struct Sums {
  std::byte* data;
  std::int64_t row_stride;
};

Sums sums_in_result(const MatrixProduct& product, const Block& block) {
  return {product.result + (block.row * product.columns + block.column) * product.sum_size(), product.columns};
}

// Adds the terms of one block of depth, which begins at `term`, to the sums; `right` is that part of the right operand.
void add_terms(const MatrixProduct& product, const Block& block, std::int64_t term, const std::byte* right,
               std::byte* packed_left, const Sums& sums) {
  const std::int64_t depth = std::min(depth_block, product.depth - term);
  pack_left(product.left.at(block.row, term), block.rows, depth, packed_left);
  multiply_packed({.dtype = product.dtype,
                   .left = packed_left,
                   .right = right,
                   .rows = block.rows,
                   .columns = block.columns,
                   .depth = depth,
                   .sums = sums.data,
                   .row_stride = sums.row_stride,
                   .add = term > 0});
}

// Calls `loop` with the stride, as a constant where elements are neighbours: only then a compiler makes vectors of
// them.
template <typename Loop>
void with_stride(std::int64_t stride, Loop loop) {
  if (stride == 1) {
    loop(std::integral_constant<std::int64_t, 1>{});
  } else {
    loop(stride);
  }
}

// Ends a row of a block of the result, where everything else is done.
template <class T>
void end_row(const MatrixProduct& product, T* out, const MatrixView& gate, std::int64_t columns) {
  switch (product.ending) {
    case Ending::none: break;
    case Ending::relu:
      for (std::int64_t j = 0; j < columns; ++j) out[j] = out[j] <= 0 ? T{0} : out[j];
      break;
    case Ending::relu_backward:
      // Written in any case: which of them are zero nobody can predict, and the processor would guess.
      with_stride(gate.column_stride, [&, values = reinterpret_cast<const T*>(gate.data)](auto stride) {
        for (std::int64_t j = 0; j < columns; ++j) out[j] = values[j * stride] <= 0 ? T{0} : out[j];
      });
      break;
  }
}

// Writes a block of the result from its finished sums, rounding once. A sum without terms is zero.
void finish(const MatrixProduct& product, const Block& block, const Sums& sums) {
  visit_accumulated(product.dtype, [&]<class T, class Sum>(std::type_identity<T>, std::type_identity<Sum>) {
    using Factor = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
    const auto alpha = static_cast<Sum>(convert<Factor>(product.alpha));
    const auto beta = static_cast<Sum>(convert<Factor>(product.beta));
    const std::vector<Sum> nothing(product.depth == 0 ? static_cast<std::size_t>(block.columns) : 0);
    for (std::int64_t i = 0; i < block.rows; ++i) {
      T* const out = reinterpret_cast<T*>(product.result) + (block.row + i) * product.columns + block.column;
      const Sum* const in =
          product.depth == 0 ? nothing.data() : reinterpret_cast<const Sum*>(sums.data) + i * sums.row_stride;
      if (product.beta == 0) {
        for (std::int64_t j = 0; j < block.columns; ++j) out[j] = static_cast<T>(alpha * in[j]);
      } else {
        const MatrixView addend = product.addend.at(block.row + i, block.column);
        with_stride(addend.column_stride, [&, added = reinterpret_cast<const T*>(addend.data)](auto stride) {
          for (std::int64_t j = 0; j < block.columns; ++j)
            out[j] = static_cast<T>(alpha * in[j] + beta * static_cast<Sum>(added[j * stride]));
        });
      }
      end_row(product, out, product.gate.at(block.row + i, block.column), block.columns);
    }
  });
}

std::size_t packed_left_bytes(const MatrixProduct& product, std::int64_t rows) {
  return static_cast<std::size_t>(round_up(rows, row_unit) * std::min(depth_block, product.depth) * product.sum_size());
}

// A tile whose columns of the right operand are packed from `packed` on, one block of depth after another, each
// `packed_columns` wide; the tile's own columns begin at `first`.
void compute_tile(const MatrixProduct& product, const Block& block, const std::byte* packed,
                  std::int64_t packed_columns, std::int64_t first) {
  const std::int64_t size = product.sum_size();
  const Scratch packed_left(packed_left_bytes(product, block.rows));
  const bool in_result = product.sums_in_result();
  const Scratch own_sums(in_result ? 0 : static_cast<std::size_t>(block.rows * block.columns * size));
  const Sums sums = in_result ? sums_in_result(product, block) : Sums{own_sums.data(), block.columns};
  for (std::int64_t term = 0; term < product.depth; term += depth_block) {
    const std::int64_t depth = std::min(depth_block, product.depth - term);
    const std::byte* const right = packed + (term * packed_columns + first * depth) * size;
    add_terms(product, block, term, right, packed_left.data(), sums);
  }
  if (!in_result || product.depth == 0) finish(product, block, sums);
}

// All rows of some columns by one thread, which packs their part of the right operand itself, one block of depth at a
// time.
void compute_columns(const MatrixProduct& product, const Tiling& tiling, std::int64_t column_tile) {
  const std::int64_t size = product.sum_size();
  const Block all{0, column_tile * tiling.tile_columns, product.rows, tiling.block(product, 0, column_tile).columns};
  const std::int64_t deepest = std::min(depth_block, product.depth);
  const Scratch packed_right(static_cast<std::size_t>(packed_extent(all.columns) * deepest * size));
  const bool in_result = product.sums_in_result();
  if (!in_result && product.depth > 0 && product.depth <= depth_block) {
    // Each sum is whole at once: some rows are ended while they are in the nearest cache.
    pack_right(product.right.at(0, all.column), product.depth, all.columns, packed_right.data());
    const std::int64_t step = std::min(rows_at_once, all.rows);
    const Scratch packed_left(packed_left_bytes(product, step)),
        own_sums(static_cast<std::size_t>(step * all.columns * size));
    for (std::int64_t row = 0; row < all.rows; row += step) {
      const Block block{row, all.column, std::min(step, all.rows - row), all.columns};
      const Sums sums{own_sums.data(), all.columns};
      add_terms(product, block, 0, packed_right.data(), packed_left.data(), sums);
      finish(product, block, sums);
    }
    return;
  }
  const Scratch packed_left(packed_left_bytes(product, std::min(tiling.tile_rows, product.rows)));
  const Scratch own_sums(in_result ? 0 : static_cast<std::size_t>(all.rows * all.columns * size));
  for (std::int64_t term = 0; term < product.depth; term += depth_block) {
    pack_right(product.right.at(term, all.column), std::min(depth_block, product.depth - term), all.columns,
               packed_right.data());
    for (std::int64_t row_tile = 0; row_tile < tiling.row_tiles; ++row_tile) {
      const Block block = tiling.block(product, row_tile, column_tile);
      const Sums sums = in_result ? sums_in_result(product, block)
                                  : Sums{own_sums.data() + block.row * all.columns * size, all.columns};
      add_terms(product, block, term, packed_right.data(), packed_left.data(), sums);
    }
  }
  if (!in_result || product.depth == 0) finish(product, all, {own_sums.data(), all.columns});
}

// Tiles on many threads, which share the packed right operand: as many of its columns at a time as the limit allows.
void compute_tiles(const MatrixProduct& product, const Tiling& tiling, KernelContext& context) {
  const std::int64_t size = product.sum_size();
  const std::int64_t tile_bytes = std::max<std::int64_t>(1, tiling.tile_columns * product.depth * size);
  const std::int64_t tiles_at_a_time =
      std::clamp<std::int64_t>(packed_limit / tile_bytes, 1, std::max<std::int64_t>(1, tiling.column_tiles));
  const std::int64_t widest = packed_extent(std::min(product.columns, tiles_at_a_time * tiling.tile_columns));
  const Scratch packed(static_cast<std::size_t>(widest * product.depth * size));
  const std::int64_t depth_blocks = divide_up(product.depth, depth_block);

  for (std::int64_t first_tile = 0; first_tile < tiling.column_tiles; first_tile += tiles_at_a_time) {
    const std::int64_t column_tiles = std::min(tiles_at_a_time, tiling.column_tiles - first_tile);
    const std::int64_t first_column = first_tile * tiling.tile_columns;
    run_chunks(context, depth_blocks * column_tiles, [&](std::int64_t chunk) {
      const std::int64_t term = chunk / column_tiles * depth_block;
      const std::int64_t depth = std::min(depth_block, product.depth - term);
      const Block columns = tiling.block(product, 0, first_tile + chunk % column_tiles);
      pack_right(product.right.at(term, columns.column), depth, columns.columns,
                 packed.data() + (term * widest + (columns.column - first_column) * depth) * size);
    });
    // One column of tiles after another, so that all threads read the same part of the right operand.
    run_chunks(context, tiling.row_tiles * column_tiles, [&](std::int64_t chunk) {
      const Block block = tiling.block(product, chunk % tiling.row_tiles, first_tile + chunk / tiling.row_tiles);
      compute_tile(product, block, packed.data(), widest, block.column - first_column);
    });
  }
}

MatrixView view_of(const Array& array) {
  return {array.data, array.strides[array.rank - 2], array.strides[array.rank - 1], array.dtype};
}

// The leading axes of a call, which have the same extents in all arrays.
struct Batch {
  const Array& left;
  const Array& right;
  const Array& output;
  int axes;

  std::int64_t count() const {
    std::int64_t count = 1;
    for (int axis = 0; axis < axes; ++axis) count *= output.shape[axis];
    return count;
  }
  std::byte* element(const Array& array, std::int64_t index) const {
    std::int64_t offset = 0;
    for (int axis = axes - 1; axis >= 0; --axis) {
      offset += index % output.shape[axis] * array.strides[axis];
      index /= output.shape[axis];
    }
    return array.data + offset * static_cast<std::int64_t>(item_size(array.dtype));
  }
};

void check_dtype(DType dtype) {
  if (dtype == DType::bool_)
    throw DTypeError("a matrix product of bool is not defined: convert to an integer type first");
}

void matmul_kernel(const KernelCall& call, KernelContext& context) {
  const Array& output = call.outputs[0];
  Batch batch{call.inputs[0], call.inputs[1], output, output.rank - 2};
  check_dtype(output.dtype);
  if (output.numel() == 0) return;
  MatrixProduct product{.rows = output.shape[output.rank - 2],
                        .columns = output.shape[output.rank - 1],
                        .depth = batch.left.shape[batch.left.rank - 1],
                        .left = view_of(batch.left),
                        .right = view_of(batch.right),
                        .result = output.data,
                        .dtype = output.dtype};
  // A batch against one right operand is one product of more rows, where the rows lie evenly.
  while (batch.axes > 0 && (batch.right.strides[batch.axes - 1] == 0 || output.shape[batch.axes - 1] == 1)) {
    const std::int64_t extent = output.shape[batch.axes - 1];
    const std::int64_t stride = batch.left.strides[batch.axes - 1];
    if (product.rows == 1) product.left.row_stride = stride;
    if (extent != 1 && product.rows != 1 && stride != product.rows * product.left.row_stride) break;
    product.rows *= extent;
    --batch.axes;
  }

  const Tiling tiling(product);
  const std::int64_t count = batch.count();
  const auto at = [&](std::int64_t index) {
    MatrixProduct one = product;
    one.left.data = batch.element(batch.left, index);
    one.right.data = batch.element(batch.right, index);
    one.result = batch.element(output, index);
    return one;
  };
  if (tiling.row_tiles == 1 || product.work() < small_work || count >= wanted_chunks) {
    // A chunk is a column of tiles, or several such columns where they are small.
    const std::int64_t units = count * tiling.column_tiles;
    const std::int64_t unit_work = std::max<std::int64_t>(1, product.work() / tiling.column_tiles);
    const std::int64_t units_a_chunk = std::max<std::int64_t>(1, chunk_work / unit_work);
    run_chunks(context, divide_up(units, units_a_chunk), [&](std::int64_t chunk) {
      const std::int64_t end = std::min(units, (chunk + 1) * units_a_chunk);
      for (std::int64_t unit = chunk * units_a_chunk; unit < end; ++unit) {
        compute_columns(at(unit / tiling.column_tiles), tiling, unit % tiling.column_tiles);
      }
    });
    return;
  }
  for (std::int64_t index = 0; index < count; ++index) compute_tiles(at(index), tiling, context);
}

// One product of matrices.
void compute_product(const MatrixProduct& product, KernelContext& context) {
  const Tiling tiling(product);
  if (tiling.row_tiles == 1 || product.work() < small_work) {
    run_chunks(context, tiling.column_tiles, [&](std::int64_t tile) { compute_columns(product, tiling, tile); });
  } else {
    compute_tiles(product, tiling, context);
  }
}

template <Ending ending>
void addmm_kernel(const KernelCall& call, KernelContext& context) {
  const Array& output = call.outputs[0];
  check_dtype(output.dtype);
  if (output.numel() == 0) return;
  const auto factors = call.parameters.get<AddmmParameters>();
  compute_product({.rows = output.shape[0],
                   .columns = output.shape[1],
                   .depth = call.inputs[1].shape[1],
                   .left = view_of(call.inputs[1]),
                   .right = view_of(call.inputs[2]),
                   .result = output.data,
                   .dtype = output.dtype,
                   .alpha = factors.alpha,
                   .beta = factors.beta,
                   .addend = view_of(call.inputs[0]),
                   .ending = ending},
                  context);
}

void matmul_relu_backward_kernel(const KernelCall& call, KernelContext& context) {
  const Array& output = call.outputs[0];
  check_dtype(output.dtype);
  if (output.numel() == 0) return;
  compute_product({.rows = output.shape[0],
                   .columns = output.shape[1],
                   .depth = call.inputs[0].shape[1],
                   .left = view_of(call.inputs[0]),
                   .right = view_of(call.inputs[1]),
                   .result = output.data,
                   .dtype = output.dtype,
                   .ending = Ending::relu_backward,
                   .gate = view_of(call.inputs[2])},
                  context);
}

const KernelRegistration matmul_registration{"matmul", DeviceKind::cpu, &matmul_kernel};
const KernelRegistration addmm_registration{"addmm", DeviceKind::cpu, &addmm_kernel<Ending::none>};
const KernelRegistration addmm_relu_registration{"addmm_relu", DeviceKind::cpu, &addmm_kernel<Ending::relu>};
const KernelRegistration matmul_relu_backward_registration{"matmul_relu_backward", DeviceKind::cpu,
                                                           &matmul_relu_backward_kernel};

}  // namespace

}  // namespace stretto
