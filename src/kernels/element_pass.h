#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <stretto/base/call_site.h>
#include <stretto/core/device.h>
#include <stretto/core/shape.h>

#include "base/readiness.h"
#include "kernels/kernel.h"

namespace stretto {

/// The elements of an array in their order, without axes of extent 1.
struct ElementWalk {
  explicit ElementWalk(const Array& array);

  bool has_same_extents(const ElementWalk& other) const;
  bool has_same_strides(const ElementWalk& other) const;
  /// Whether they lie one behind the other, in their order.
  bool is_dense() const;
  /// The innermost axis is dense, or one element again and again.
  bool has_simple_rows() const { return rank == 0 || strides[rank - 1] == 1 || strides[rank - 1] == 0; }

  int rank = 0;
  std::int64_t extents[max_rank];
  std::int64_t strides[max_rank];  ///< In elements.
};

/// Elementwise calls over the same elements, one after the other, that go over memory once: each runs on some of the
/// elements before the next elements are looked at. What only these calls need is kept *near*, for some elements at a
/// time, and has no memory of its own. Bitwise what the calls give one by one. Never changes once made.
class ElementPass {
 public:
  static constexpr std::size_t max_steps = 32;
  static constexpr int max_operands = 4;
  /// Of different arrays in memory.
  static constexpr std::size_t max_addresses = 48;

  /// One of the calls. Its kernel's row must say that it is elementwise.
  struct Call {
    const char* name;  ///< Of errors; lives as long as the process.
    CallSite site;
    const KernelRow* kernel;
    Parameters parameters;
    /// The output, then the inputs: `data` is an offset in bytes, and of a constant its address.
    std::span<const Array> arrays;
    /// Of each array: the number of the address that its offset counts from; ~k where it is the k-th value kept near.
    /// Unread of constants.
    std::span<const std::int32_t> places;
  };

  enum class Where : std::uint8_t { memory, near, constant };
  struct Operand {
    Where where;
    DType dtype;
    std::int32_t number;      ///< Of the address, or of the block that is kept near.
    std::int32_t array = -1;  ///< Among `memory()`, where it lies there.
    std::int64_t offset;      ///< In bytes, from the address; of a constant where it lies among them.
    std::int64_t strides[max_rank];
  };
  struct Step {
    const char* name;
    CallSite site;
    const KernelRow* kernel;
    Parameters parameters;
    int operand_count;
    Operand operands[max_operands];  ///< The output first.
    std::span<Operand> all() { return {operands, static_cast<std::size_t>(operand_count)}; }
    std::span<const Operand> all() const { return {operands, static_cast<std::size_t>(operand_count)}; }
  };

  /// An array in memory that steps read or write.
  struct Memory {
    Operand operand;
    bool read_first;  ///< Before a step writes it, if any does.
    bool written;
  };

  /// Null where rows are so short that it would not pay.
  static std::unique_ptr<const ElementPass> make(std::span<const Call> calls);

  std::span<const Step> steps() const { return steps_; }
  /// Of the elements, as few axes as all operands allow, none of extent 1.
  std::span<const std::int64_t> extents() const { return extents_; }
  std::int64_t numel() const {
    std::int64_t count = 1;
    for (const std::int64_t extent : extents_) count *= extent;
    return count;
  }
  /// Each once.
  std::span<const Memory> memory() const { return memory_; }
  /// Bytes of an element of each block that is kept near.
  std::span<const std::int64_t> near_sizes() const { return near_sizes_; }
  /// Bytes of one element of everything in memory, each once.
  std::int64_t memory_size() const { return memory_size_; }
  /// How many constants there are; the offsets of their operands count them.
  std::size_t constant_count() const { return constants_.size(); }
  const std::byte* constant(const Operand& operand) const {
    return reinterpret_cast<const std::byte*>(constants_.data() + operand.offset);
  }
  /// What is written to memory, and what of it is read before, as arrays at these addresses: each once. They live as
  /// long as this.
  void list_memory(std::byte* const* addresses, std::vector<Array>& outputs, std::vector<Array>& inputs) const;

 private:
  void add_step(const Call& call);
  void join_axes();
  void keep_near();
  void list_arrays();

  std::vector<Step> steps_;
  std::vector<std::int64_t> extents_;
  std::vector<std::int64_t> near_sizes_;
  std::vector<Memory> memory_;
  std::int64_t memory_size_ = 0;
  std::vector<std::uint64_t> constants_;
};

/// A pass as one kind of device runs it: any number of times, also on several threads at once.
class ElementPassProgram {
 public:
  ElementPassProgram() = default;
  ElementPassProgram(const ElementPassProgram&) = delete;
  ElementPassProgram& operator=(const ElementPassProgram&) = delete;
  virtual ~ElementPassProgram() = default;

  /// What a kernel has to be compiled for is unready meanwhile.
  virtual Readiness readiness() const { return Readiness::ready; }
  /// Runs the pass with these addresses, as a kernel runs a call. It is ready.
  virtual void run(std::byte* const* addresses, KernelContext& context) const = 0;
};

/// For the device of this number among those of its kind. Does not wait. Null where the pass cannot be run there. The
/// pass lives as long as what is made of it.
using ElementPassMaker = std::unique_ptr<const ElementPassProgram> (*)(const ElementPass& pass, int device);

/// Of this kind of device; null where none is registered. `sim` uses that of `cpu`.
ElementPassMaker element_pass_maker(DeviceKind kind);

/// As KernelRegistration.
struct ElementPassRegistration {
  ElementPassRegistration(DeviceKind kind, ElementPassMaker maker);
};

}  // namespace stretto
