#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/submission.h"
#include "tensor/operator_call.h"

namespace stretto {

/// What a submitted operator carries to its worker: the kernels, its parameters, and its arrays without their
/// addresses, in one piece of memory. The buffers belong to the task.
class OperatorRecord {
 public:
  static constexpr int max_arrays = OperatorCall::max_outputs + OperatorCall::max_inputs;

  struct Release {
    void operator()(OperatorRecord* record) const noexcept;
  };
  using Owner = std::unique_ptr<OperatorRecord, Release>;

  /// A record of `call`, for a kind of device that has the kernel, with the tensors in `tensors`, outputs first (null:
  /// a constant), and a list in `accesses` of what it accesses: at most `max_arrays`, their number in `access_count`.
  /// Throws ShapeError when an input does not broadcast.
  static Owner make(const OperatorCall& call, const TensorImplementation* const* tensors, Access* accesses,
                    std::size_t& access_count);

  void run(BodyContext& context) const;

  const KernelRow& kernel() const { return *kernel_; }
  const Parameters& parameters() const { return parameters_; }
  std::size_t output_count() const { return output_count_; }
  /// Outputs first; of each, `data` is an offset in bytes, or the address of a constant.
  std::span<const Array> arrays() const { return {reinterpret_cast<const Array*>(this + 1), array_count_}; }
  /// What it is given: "float32 [4], a number".
  std::string describe_operands() const;
  /// Another one of the same.
  Owner copy() const;
  /// Whether it does with its accesses just what `other` does: the same kernel, numbers and parameters, over elements
  /// that lie in the same way.
  bool is_same(const OperatorRecord& other) const;
  /// Of an array that is no constant: the number of its access.
  std::size_t access_of(std::size_t array) const { return access_of_[array]; }

 private:
  OperatorRecord(const OperatorCall& call, std::size_t size_class);

  Array* own_arrays() { return reinterpret_cast<Array*>(this + 1); }
  const KernelRow* kernel_;
  std::uint8_t size_class_;
  std::uint8_t output_count_;
  std::uint8_t array_count_;
  std::uint8_t access_of_[max_arrays];  ///< For each array, the number of its access.
  Parameters parameters_;
  // Behind it: the arrays, their shapes and strides, the constants.
};

}  // namespace stretto
