#include "kernels/element_pass.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <utility>

namespace stretto {
namespace {

// Parts with fewer elements than this cost more by themselves than what they save.
constexpr std::int64_t fewest_in_a_part = 256;

std::array<std::atomic<ElementPassMaker>, device_kind_count>& pass_makers() {
  static std::array<std::atomic<ElementPassMaker>, device_kind_count> makers{};
  return makers;
}

}  // namespace

ElementWalk::ElementWalk(const Array& array) {
  for (int axis = 0; axis < array.rank; ++axis) {
    if (array.shape[axis] == 1) continue;
    extents[rank] = array.shape[axis];
    strides[rank++] = array.constant ? 0 : array.strides[axis];
  }
}

bool ElementWalk::has_same_extents(const ElementWalk& other) const {
  return rank == other.rank && std::equal(extents, extents + rank, other.extents);
}

bool ElementWalk::has_same_strides(const ElementWalk& other) const {
  return rank == other.rank && std::equal(strides, strides + rank, other.strides);
}

bool ElementWalk::is_dense() const {
  std::int64_t expected = 1;
  for (int axis = rank; axis-- > 0; expected *= extents[axis])
    if (strides[axis] != expected) return false;
  return true;
}

std::unique_ptr<const ElementPass> ElementPass::make(std::span<const Call> calls) {
  std::unique_ptr<ElementPass> pass(new ElementPass);
  const ElementWalk all(calls.front().arrays.front());
  pass->extents_.assign(all.extents, all.extents + all.rank);
  for (const Call& call : calls) pass->add_step(call);
  pass->join_axes();
  const std::size_t rank = pass->extents_.size();
  if (rank > 2 && pass->extents_[rank - 1] * pass->extents_[rank - 2] < fewest_in_a_part) return nullptr;
  pass->keep_near();
  pass->list_arrays();
  return pass;
}

void ElementPass::add_step(const Call& call) {
  Step step{call.name, call.site, call.kernel, call.parameters, static_cast<int>(call.arrays.size()), {}};
  for (std::size_t i = 0; i < call.arrays.size(); ++i) {
    const Array& array = call.arrays[i];
    Operand& operand = step.operands[i];
    operand.dtype = array.dtype;
    if (array.constant) {
      operand.where = Where::constant;
      operand.offset = static_cast<std::int64_t>(constants_.size());
      std::memcpy(&constants_.emplace_back(), array.data, item_size(array.dtype));
      continue;
    }
    operand.where = call.places[i] < 0 ? Where::near : Where::memory;
    operand.number = call.places[i] < 0 ? ~call.places[i] : call.places[i];
    operand.offset = reinterpret_cast<std::intptr_t>(array.data);
    std::ranges::copy(ElementWalk(array).strides, operand.strides);
  }
  steps_.push_back(step);
}

/// Joins neighbouring axes that every operand runs through as if they were one.
void ElementPass::join_axes() {
  for (std::size_t axis = extents_.size(); axis-- > 1;) {
    const auto is_one = [&](const Operand& operand) {
      return operand.where == Where::constant || operand.strides[axis - 1] == operand.strides[axis] * extents_[axis];
    };
    const bool all =
        std::ranges::all_of(steps_, [&](const Step& step) { return std::ranges::all_of(step.all(), is_one); });
    if (!all) continue;
    extents_[axis - 1] *= extents_[axis];
    extents_.erase(extents_.begin() + static_cast<std::ptrdiff_t>(axis));
    for (Step& step : steps_) {
      for (Operand& operand : step.all()) {
        if (operand.where == Where::constant) continue;
        std::copy(operand.strides + axis, operand.strides + max_rank, operand.strides + axis - 1);
      }
    }
  }
}

/// Gives values that are not needed at the same time one block. A step may write where it reads for the last time, if
/// the types are the same.
void ElementPass::keep_near() {
  std::map<std::int32_t, std::size_t> last_step;  // of each value
  for (std::size_t number = 0; number < steps_.size(); ++number)
    for (const Operand& operand : steps_[number].all())
      if (operand.where == Where::near) last_step[operand.number] = number;
  std::map<std::int32_t, std::int32_t> block_of;  // of values that are needed now
  std::vector<DType> types;                       // of blocks
  std::vector<std::int32_t> idle;
  const auto type_of = [&](std::int32_t block) { return types[static_cast<std::size_t>(block)]; };
  for (std::size_t number = 0; number < steps_.size(); ++number) {
    const std::span<Operand> operands = steps_[number].all();
    const Operand output = operands.front();
    std::vector<std::int32_t> ending;
    for (const Operand& operand : operands.subspan(1))
      if (operand.where == Where::near && last_step[operand.number] == number)
        ending.push_back(block_of.at(operand.number));
    std::ranges::sort(ending);
    const auto twice = std::ranges::unique(ending);
    ending.erase(twice.begin(), twice.end());
    const bool is_new = output.where == Where::near && !block_of.contains(output.number);
    for (const std::int32_t block : ending)
      if (is_new && type_of(block) == output.dtype) idle.push_back(block);
    if (is_new) {
      const auto found = std::ranges::find(idle, output.dtype, type_of);
      if (found != idle.end()) {
        block_of[output.number] = *found;
        idle.erase(found);
      } else {
        block_of[output.number] = static_cast<std::int32_t>(types.size());
        types.push_back(output.dtype);
      }
    }
    for (const std::int32_t block : ending)
      if (!is_new || type_of(block) != output.dtype) idle.push_back(block);
    for (Operand& operand : operands)
      if (operand.where == Where::near) operand.number = block_of.at(operand.number);
  }
  for (const DType type : types) near_sizes_.push_back(static_cast<std::int64_t>(item_size(type)));
}

void ElementPass::list_arrays() {
  for (Step& step : steps_) {
    const std::span<Operand> operands = step.all();
    // What it reads, it reads first.
    for (std::size_t turn = 1; turn <= operands.size(); ++turn) {
      const bool is_output = turn == operands.size();
      Operand& operand = operands[is_output ? 0 : turn];
      if (operand.where != Where::memory) continue;
      const auto is_same = [&](const Memory& one) {
        return one.operand.number == operand.number && one.operand.offset == operand.offset &&
               one.operand.dtype == operand.dtype &&
               std::equal(operand.strides, operand.strides + extents_.size(), one.operand.strides);
      };
      auto found = std::ranges::find_if(memory_, is_same);
      if (found == memory_.end()) {
        found = memory_.insert(found, {operand, !is_output, is_output});
        memory_size_ += static_cast<std::int64_t>(item_size(operand.dtype));
      } else {
        found->written |= is_output;
      }
      operand.array = static_cast<std::int32_t>(found - memory_.begin());
    }
  }
}

void ElementPass::list_memory(std::byte* const* addresses, std::vector<Array>& outputs,
                              std::vector<Array>& inputs) const {
  for (const Memory& one : memory_) {
    const Array array{.data = addresses[one.operand.number] + one.operand.offset,
                      .shape = extents_.data(),
                      .strides = one.operand.strides,
                      .dtype = one.operand.dtype,
                      .rank = static_cast<std::uint8_t>(extents_.size()),
                      .constant = false};
    if (one.written) outputs.push_back(array);
    if (one.read_first) inputs.push_back(array);
  }
}

ElementPassMaker element_pass_maker(DeviceKind kind) {
  if (kind == DeviceKind::sim) kind = DeviceKind::cpu;
  return pass_makers()[static_cast<std::size_t>(kind)].load(std::memory_order_acquire);
}

ElementPassRegistration::ElementPassRegistration(DeviceKind kind, ElementPassMaker maker) {
  pass_makers()[static_cast<std::size_t>(kind)].store(maker, std::memory_order_release);
}

}  // namespace stretto
