// A pass on the CPU: through the kernels of its steps, block by block.

#include <algorithm>
#include <cstddef>
#include <memory>

#include <stretto/base/error.h>

#include "kernels/cpu/chunks.h"
#include "kernels/element_pass.h"

namespace stretto {
namespace {

// What is kept near, and what a block touches besides: within the cache of a core, and blocks long enough for what a
// kernel costs at each.
constexpr std::int64_t near_bytes = std::int64_t{64} << 10;
constexpr std::int64_t block_bytes = std::int64_t{64} << 10;
constexpr std::int64_t block_unit = 64, longest_block = 8192;
constexpr std::int64_t chunk_elements = 16384;
// So that what is kept in two blocks does not fall into the same lines of a cache.
constexpr std::int64_t apart = 192;
static_assert(static_cast<std::int64_t>(ElementPass::max_steps) * (8 * block_unit + apart) <= near_bytes);

/// Runs all chunks itself: a part of a call has no parts.
class PartContext final : public KernelContext {
 public:
  void parallel_for(std::int64_t chunks, FunctionRef<void(std::int64_t)> body) override {
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) body(chunk);
  }
};

/// How the elements are cut into blocks: some of a row, or some rows. A function of shapes and types alone.
class PassBlocks {
 public:
  explicit PassBlocks(const ElementPass& pass) : extents_(pass.extents()) {
    std::int64_t near = 0;
    for (const std::int64_t size : pass.near_sizes()) near += size;
    std::int64_t elements = block_bytes / std::max<std::int64_t>(1, near + pass.memory_size());
    const auto padding = static_cast<std::int64_t>(pass.near_sizes().size()) * apart;
    if (near > 0) elements = std::min(elements, (near_bytes - padding) / near);
    elements = std::clamp(elements / block_unit * block_unit, block_unit, longest_block);
    const std::size_t rank = extents_.size();
    columns_ = rank > 0 ? extents_[rank - 1] : 1;
    rows_ = rank > 1 ? extents_[rank - 2] : 1;
    for (std::size_t axis = 0; axis + 2 < rank; ++axis) outer_ *= extents_[axis];
    // Rows of nearly a block are cut evenly.
    block_columns_ = std::min(columns_, elements);
    if (columns_ > elements) block_columns_ = divide_up(columns_, divide_up(columns_, elements));
    block_rows_ = std::clamp<std::int64_t>(elements / block_columns_, 1, rows_);
    elements_ = elements;
  }

  std::int64_t count() const { return outer_ * row_blocks() * column_blocks(); }
  /// Of the largest block.
  std::int64_t elements() const { return elements_; }
  std::int64_t blocks_in_a_chunk() const {
    return std::max<std::int64_t>(1, chunk_elements / (block_rows_ * block_columns_));
  }

  struct Block {
    std::int64_t outer;
    std::int64_t row;
    std::int64_t column;
    std::int64_t shape[2];
  };
  Block block(std::int64_t number) const {
    Block block{};
    block.column = number % column_blocks() * block_columns_;
    number /= column_blocks();
    block.row = number % row_blocks() * block_rows_;
    block.outer = number / row_blocks();
    block.shape[0] = std::min(block_rows_, rows_ - block.row);
    block.shape[1] = std::min(block_columns_, columns_ - block.column);
    return block;
  }

  /// Where the block begins in an operand, in elements.
  std::int64_t offset(const Block& block, const ElementPass::Operand& operand) const {
    std::int64_t offset = 0;
    const std::size_t rank = extents_.size();
    if (rank > 0) offset += block.column * operand.strides[rank - 1];
    if (rank > 1) offset += block.row * operand.strides[rank - 2];
    std::int64_t outer = block.outer;
    for (std::size_t axis = rank < 2 ? 0 : rank - 2; axis-- > 0; outer /= extents_[axis])
      offset += outer % extents_[axis] * operand.strides[axis];
    return offset;
  }

 private:
  std::int64_t row_blocks() const { return divide_up(rows_, block_rows_); }
  std::int64_t column_blocks() const { return divide_up(columns_, block_columns_); }

  const std::span<const std::int64_t> extents_;
  std::int64_t outer_ = 1;
  std::int64_t rows_;
  std::int64_t columns_;
  std::int64_t block_rows_;
  std::int64_t block_columns_;
  std::int64_t elements_;
};

/// One worker's part of a pass.
class PassRun {
 public:
  PassRun(const ElementPass& pass, const PassBlocks& blocks, std::byte* const* addresses)
      : pass_(pass), blocks_(blocks), addresses_(addresses) {
    std::byte* next = near_;
    for (const std::int64_t size : pass.near_sizes()) {
      places_[place_count_++] = next;
      next += blocks.elements() * size + apart;
    }
  }

  void run(const PassBlocks::Block& block) {
    for (const ElementPass::Step& step : pass_.steps()) run(step, block);
  }

 private:
  void run(const ElementPass::Step& step, const PassBlocks::Block& block) {
    // One row needs one axis.
    const int rank = block.shape[0] == 1 ? 1 : 2;
    const std::int64_t* const shape = block.shape + (2 - rank);
    const std::int64_t near_strides[2] = {block.shape[1], 1};
    constexpr std::int64_t no_strides[2] = {0, 0};
    const std::size_t axes = pass_.extents().size();
    Array arrays[ElementPass::max_operands];
    std::int64_t strides[ElementPass::max_operands][2];
    for (int i = 0; i < step.operand_count; ++i) {
      const ElementPass::Operand& operand = step.operands[i];
      Array& array = arrays[i];
      array.shape = shape;
      array.dtype = operand.dtype;
      array.rank = static_cast<std::uint8_t>(rank);
      if (operand.where == ElementPass::Where::constant) {
        // Constants are read alone.
        array.data = const_cast<std::byte*>(pass_.constant(operand));
        array.strides = no_strides;
        array.constant = true;
      } else if (operand.where == ElementPass::Where::near) {
        array.data = places_[operand.number];
        array.strides = near_strides + (2 - rank);
      } else {
        array.data = addresses_[operand.number] + operand.offset +
                     blocks_.offset(block, operand) * static_cast<std::int64_t>(item_size(operand.dtype));
        strides[i][0] = axes > 1 ? operand.strides[axes - 2] : 0;
        strides[i][1] = axes > 0 ? operand.strides[axes - 1] : 0;
        array.strides = strides[i] + (2 - rank);
      }
    }
    const auto inputs = static_cast<std::size_t>(step.operand_count - 1);
    try {
      step.kernel->find(DeviceKind::cpu)({{arrays, 1}, {arrays + 1, inputs}, step.parameters}, part_);
    } catch (Error& error) {
      error.with_context(step.name, step.site);
      throw;
    }
  }

  const ElementPass& pass_;
  const PassBlocks& blocks_;
  std::byte* const* const addresses_;
  PartContext part_;
  std::byte* places_[ElementPass::max_steps];
  int place_count_ = 0;
  alignas(64) std::byte near_[near_bytes];
};

class CpuPassProgram final : public ElementPassProgram {
 public:
  explicit CpuPassProgram(const ElementPass& pass) : pass_(pass), blocks_(pass) {}

  void run(std::byte* const* addresses, KernelContext& context) const override {
    run_ranges(context, blocks_.count(), blocks_.blocks_in_a_chunk(), [&](std::int64_t begin, std::int64_t end) {
      PassRun run(pass_, blocks_, addresses);
      for (std::int64_t number = begin; number < end; ++number) run.run(blocks_.block(number));
    });
  }

 private:
  const ElementPass& pass_;
  const PassBlocks blocks_;
};

std::unique_ptr<const ElementPassProgram> make_cpu_program(const ElementPass& pass, int /*device*/) {
  return std::make_unique<CpuPassProgram>(pass);
}

const ElementPassRegistration pass_registration(DeviceKind::cpu, &make_cpu_program);

}  // namespace
}  // namespace stretto
