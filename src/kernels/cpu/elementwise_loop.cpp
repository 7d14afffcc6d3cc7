#include "kernels/cpu/elementwise_loop.h"

#include <algorithm>
#include <span>
#include <string>

#include <stretto/base/error.h>

#include "kernels/cpu/elementwise_plan.h"
#include "kernels/cpu/strided_copy.h"

namespace stretto {

namespace {

constexpr int max_operands = ElementwisePlan::max_operands;
constexpr std::int64_t block = 1024;       // elements that pass through a buffer at once
constexpr std::int64_t tile_block = 4096;  // or this many of a tile of several rows, so that a transposed one is whole
constexpr std::int64_t short_row = 128;    // tiles with shorter rows go several rows at a time
constexpr std::int64_t tiny_row = 32;      // rows too short for a call of the inner loop each

/// Left uninitialised: most calls use little of it.
template <std::int64_t elements>
struct Buffers {
  alignas(64) std::byte bytes[max_operands][elements * 8];
};

enum class Layout { contiguous, one_element, strided };

Layout layout_of(const Array& array, const Array& output) {
  if (array.constant) return Layout::one_element;
  std::int64_t expected = 1;
  bool contiguous = true;
  bool one_element = true;
  for (int axis = output.rank - 1; axis >= 0; --axis) {
    const std::int64_t extent = output.shape[axis];
    if (extent == 1) continue;
    contiguous &= array.strides[axis] == expected;
    one_element &= array.strides[axis] == 0;
    expected *= extent;
  }
  return contiguous ? Layout::contiguous : one_element ? Layout::one_element : Layout::strided;
}

/// Operands that are contiguous in the same order, or one element each: the usual case, which needs no plan.
class FlatRun {
 public:
  /// False if some operand is neither.
  bool prepare(const KernelCall& call) {
    const Array& output = call.outputs[0];
    if (layout_of(output, output) != Layout::contiguous) return false;
    inputs_ = static_cast<int>(call.inputs.size());
    output_ = output.data;
    output_size_ = static_cast<std::int64_t>(item_size(output.dtype));
    for (int i = 0; i < inputs_; ++i) {
      const Array& input = call.inputs[i];
      const Layout layout = layout_of(input, output);
      if (layout == Layout::strided) return false;
      // In an array of one element the two layouts are the same, and contiguous needs no buffer.
      steps_[i] = layout == Layout::contiguous;
      pointers_[i] = input.data;
      sizes_[i] = static_cast<std::int64_t>(item_size(input.dtype));
      spread_ |= !steps_[i];
    }
    return true;
  }

  void run(InnerLoop loop, std::int64_t begin, std::int64_t end) const {
    if (!spread_) return call(loop, pointers_, begin, end);
    Buffers<block> buffers;
    const std::byte* pointers[max_operands];
    for (int i = 0; i < inputs_; ++i) {
      pointers[i] = pointers_[i];
      if (steps_[i]) continue;
      strided_copy({buffers.bytes[i], 0, sizes_[i]}, {pointers_[i], 0, 0}, 1, std::min(block, end - begin), sizes_[i]);
      pointers[i] = buffers.bytes[i];
    }
    for (; begin < end; begin += block) call(loop, pointers, begin, std::min(end, begin + block));
  }

 private:
  void call(InnerLoop loop, const std::byte* const* pointers, std::int64_t begin, std::int64_t end) const {
    const std::byte* at[max_operands];
    for (int i = 0; i < inputs_; ++i) at[i] = pointers[i] + (steps_[i] ? begin * sizes_[i] : 0);
    loop(output_ + begin * output_size_, at, end - begin);
  }

  int inputs_;
  bool spread_ = false;
  bool steps_[max_operands];
  std::byte* output_;
  std::int64_t output_size_;
  const std::byte* pointers_[max_operands];
  std::int64_t sizes_[max_operands];
};

/// Runs the inner loop over tiles of a plan, through buffers where an operand is not contiguous.
class TileRun {
 public:
  TileRun(const ElementwisePlan& plan, InnerLoop loop) : plan_(plan), loop_(loop) {}

  void operator()(const ElementwisePlan::Tile& tile) {
    if (tile.rows == 1 || tile.columns >= short_row) {
      for (std::int64_t row = 0; row < tile.rows; ++row) run_row(tile, row);
      return;
    }
    const std::int64_t step = tile_block / tile.columns;
    for (std::int64_t row = 0; row < tile.rows; row += step) {
      run_block(tile, row, std::min(step, tile.rows - row), 0, tile.columns);
    }
  }

 private:
  void run_row(const ElementwisePlan::Tile& tile, std::int64_t row) {
    bool direct = true;
    for (int k = 0; k < plan_.operands(); ++k) direct &= plan_.column_stride(k) == plan_.item_size(k);
    const std::int64_t step = direct ? tile.columns : block;
    for (std::int64_t column = 0; column < tile.columns; column += step) {
      run_block(tile, row, 1, column, std::min(step, tile.columns - column));
    }
  }

  void run_block(const ElementwisePlan::Tile& tile, std::int64_t row, std::int64_t rows, std::int64_t column,
                 std::int64_t columns) {
    std::byte* pointers[max_operands];
    std::int64_t row_steps[max_operands];
    bool buffered[max_operands];
    bool in_one_call = true;
    for (int k = 0; k < plan_.operands(); ++k) {
      const std::int64_t size = plan_.item_size(k);
      const std::int64_t row_stride = plan_.row_stride(k);
      const std::int64_t column_stride = plan_.column_stride(k);
      pointers[k] = tile.pointers[k] + row * row_stride + column * column_stride;
      row_steps[k] = columns * size;
      const bool row_is_contiguous = columns == 1 || column_stride == size;
      buffered[k] = !row_is_contiguous || (rows > 1 && row_stride != row_steps[k] && columns < tiny_row);
      if (!buffered[k]) {
        in_one_call &= rows == 1 || row_stride == row_steps[k];
        row_steps[k] = row_stride;
        continue;
      }
      if (k > 0) {
        strided_copy({buffers_.bytes[k], row_steps[k], size}, {pointers[k], row_stride, column_stride}, rows, columns,
                     size);
      }
      pointers[k] = buffers_.bytes[k];
    }
    if (in_one_call) {
      loop_(pointers[0], pointers + 1, rows * columns);
    } else {
      for (std::int64_t i = 0; i < rows; ++i) {
        loop_(pointers[0], pointers + 1, columns);
        for (int k = 0; k < plan_.operands(); ++k) pointers[k] += row_steps[k];
      }
    }
    if (!buffered[0]) return;
    std::byte* output = tile.pointers[0] + row * plan_.row_stride(0) + column * plan_.column_stride(0);
    strided_copy({output, plan_.row_stride(0), plan_.column_stride(0)},
                 {buffers_.bytes[0], row_steps[0], plan_.item_size(0)}, rows, columns, plan_.item_size(0));
  }

  const ElementwisePlan& plan_;
  InnerLoop loop_;
  Buffers<tile_block> buffers_;
};

/// Calls `body` for chunks 0 ... count - 1, on the calling thread if there is one only.
void run_chunks(KernelContext& context, std::int64_t count, FunctionRef<void(std::int64_t)> body) {
  if (count == 1) return body(0);
  if (count > 1) context.parallel_for(count, body);
}

/// Calls `body(begin, end)` for pieces of 0 ... count - 1 of `grain` elements.
void run_ranges(KernelContext& context, std::int64_t count, std::int64_t grain,
                FunctionRef<void(std::int64_t, std::int64_t)> body) {
  if (count <= grain) return body(0, count);
  context.parallel_for((count + grain - 1) / grain,
                       [&](std::int64_t chunk) { body(chunk * grain, std::min(count, (chunk + 1) * grain)); });
}

void run_one(const KernelCall& call, InnerLoop loop) {
  const std::byte* inputs[max_operands];
  for (std::size_t i = 0; i < call.inputs.size(); ++i) inputs[i] = call.inputs[i].data;
  loop(call.outputs[0].data, inputs, 1);
}

}  // namespace

InnerLoop find_loop(const LoopTable& table, DType dtype) {
  const InnerLoop loop = table[static_cast<std::size_t>(dtype)];
  if (loop == nullptr) throw DTypeError("the operation is not defined for dtype " + std::string(name(dtype)));
  return loop;
}

void run_elementwise(const KernelCall& call, KernelContext& context, InnerLoop loop, std::int64_t grain) {
  const std::int64_t count = call.outputs[0].numel();
  if (count == 0) return;
  if (count == 1) return run_one(call, loop);
  FlatRun flat;
  if (flat.prepare(call)) {
    return run_ranges(context, count, grain, [&](std::int64_t begin, std::int64_t end) { flat.run(loop, begin, end); });
  }
  const ElementwisePlan plan(call.outputs[0], call.inputs, grain);
  run_chunks(context, plan.chunks(), [&](std::int64_t chunk) {
    TileRun run(plan, loop);
    plan.visit_chunk(chunk, run);
  });
}

void run_copy(const KernelCall& call, KernelContext& context) {
  const Array& output = call.outputs[0];
  const Array& input = call.inputs[0];
  const std::int64_t count = output.numel();
  if (count == 0) return;
  const std::int64_t size = static_cast<std::int64_t>(item_size(output.dtype));
  const Layout layout = layout_of(input, output);
  if (layout != Layout::strided && layout_of(output, output) == Layout::contiguous) {
    const std::int64_t step = layout == Layout::contiguous ? size : 0;
    return run_ranges(context, count, cheap_grain, [&](std::int64_t begin, std::int64_t end) {
      strided_copy({output.data + begin * size, 0, size}, {input.data + begin * step, 0, step}, 1, end - begin, size);
    });
  }
  const ElementwisePlan plan(output, call.inputs, cheap_grain);
  run_chunks(context, plan.chunks(), [&](std::int64_t chunk) {
    plan.visit_chunk(chunk, [&](const ElementwisePlan::Tile& tile) {
      strided_copy({tile.pointers[0], plan.row_stride(0), plan.column_stride(0)},
                   {tile.pointers[1], plan.row_stride(1), plan.column_stride(1)}, tile.rows, tile.columns, size);
    });
  });
}

}  // namespace stretto
