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
constexpr std::int64_t block = 512;      // elements of a buffer: four operands of 8 bytes stay in the first-level cache
constexpr std::int64_t short_row = 128;  // rows below this are gathered several at a time

struct Buffers {
  // Left uninitialised: most calls use few of them.
  alignas(64) std::byte bytes[max_operands][block * 8];
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
    if (end - begin == 1 || !spread_) return call(loop, pointers_, begin, end);
    Buffers buffers;
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
    const std::int64_t step = block / tile.columns;
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
    bool direct[max_operands];
    for (int k = 0; k < plan_.operands(); ++k) {
      const std::int64_t size = plan_.item_size(k);
      const std::int64_t row_stride = plan_.row_stride(k);
      const std::int64_t column_stride = plan_.column_stride(k);
      pointers[k] = tile.pointers[k] + row * row_stride + column * column_stride;
      direct[k] = (columns == 1 || column_stride == size) && (rows == 1 || row_stride == columns * size);
      if (direct[k] || k == 0) continue;
      strided_copy({buffers_.bytes[k], columns * size, size}, {pointers[k], row_stride, column_stride}, rows, columns,
                   size);
      pointers[k] = buffers_.bytes[k];
    }
    const std::byte* const* inputs = pointers + 1;
    if (direct[0]) return loop_(pointers[0], inputs, rows * columns);
    loop_(buffers_.bytes[0], inputs, rows * columns);
    const std::int64_t size = plan_.item_size(0);
    strided_copy({pointers[0], plan_.row_stride(0), plan_.column_stride(0)}, {buffers_.bytes[0], columns * size, size},
                 rows, columns, size);
  }

  const ElementwisePlan& plan_;
  InnerLoop loop_;
  Buffers buffers_;
};

/// Calls `body` for chunks 0 ... count - 1, on the calling thread if there is one only.
void run_chunks(KernelContext& context, std::int64_t count, FunctionRef<void(std::int64_t)> body) {
  if (count == 1) return body(0);
  if (count > 1) context.parallel_for(count, body);
}

void run_flat(const FlatRun& flat, std::int64_t count, KernelContext& context, InnerLoop loop, std::int64_t grain) {
  if (count <= grain) {
    if (count > 0) flat.run(loop, 0, count);
    return;
  }
  context.parallel_for((count + grain - 1) / grain, [&](std::int64_t chunk) {
    flat.run(loop, chunk * grain, std::min(count, (chunk + 1) * grain));
  });
}

}  // namespace

InnerLoop find_loop(const LoopTable& table, DType dtype) {
  const InnerLoop loop = table[static_cast<std::size_t>(dtype)];
  if (loop == nullptr) throw DTypeError("the operation is not defined for dtype " + std::string(name(dtype)));
  return loop;
}

void run_elementwise(const KernelCall& call, KernelContext& context, InnerLoop loop, std::int64_t grain) {
  FlatRun flat;
  if (flat.prepare(call)) return run_flat(flat, call.outputs[0].numel(), context, loop, grain);
  const ElementwisePlan plan(call.outputs[0], call.inputs, grain);
  run_chunks(context, plan.chunks(), [&](std::int64_t chunk) {
    TileRun run(plan, loop);
    plan.visit_chunk(chunk, run);
  });
}

void run_copy(const KernelCall& call, KernelContext& context) {
  const ElementwisePlan plan(call.outputs[0], call.inputs, cheap_grain);
  run_chunks(context, plan.chunks(), [&](std::int64_t chunk) {
    plan.visit_chunk(chunk, [&](const ElementwisePlan::Tile& tile) {
      strided_copy({tile.pointers[0], plan.row_stride(0), plan.column_stride(0)},
                   {tile.pointers[1], plan.row_stride(1), plan.column_stride(1)}, tile.rows, tile.columns,
                   plan.item_size(0));
    });
  });
}

}  // namespace stretto
