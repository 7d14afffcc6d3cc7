#pragma once

#include <cstddef>
#include <cstdint>

#include <stretto/base/call_site.h>
#include <stretto/core/scalar.h>
#include <stretto/tensor/tensor.h>

#include "backend/lane.h"
#include "kernels/kernel.h"
#include "ordering/task_reference.h"
#include "tensor/tensor_implementation.h"

namespace stretto {

/// One call of an operator, as it passes the door: the kernel, the tensors it writes and reads, the user's line. Built
/// on the caller's stack; the tensors and shapes it refers to must live until `apply` returns.
///
///     OperatorCall call("add", add_row, site);
///     call.write(out);
///     call.read(a, shape);
///     call.constant(2.5, DType::float32);
///     apply(call);
class OperatorCall {
 public:
  static constexpr int max_outputs = 4;
  static constexpr int max_inputs = 8;

  /// One array of the kernel's call.
  struct Argument {
    const Tensor* tensor;    ///< Null for a constant.
    const Shape* broadcast;  ///< The shape to read it as; null for its own.
    AccessMode mode;         ///< Of outputs: write or read_write.
    DType dtype;             ///< Of constants.
    std::byte constant[8];   ///< One element of `dtype`.
  };

  /// `name` is what errors and timelines show; it must live as long as the process: a literal.
  OperatorCall(const char* name, const KernelRow& kernel, CallSite site) : name_(name), kernel_(kernel), site_(site) {}
  OperatorCall(const OperatorCall&) = delete;
  OperatorCall& operator=(const OperatorCall&) = delete;

  /// An output that the kernel overwrites completely.
  void write(const Tensor& tensor) { add_output(tensor, AccessMode::write); }
  /// An output whose earlier values the kernel reads, or that it overwrites in part.
  void read_write(const Tensor& tensor) { add_output(tensor, AccessMode::read_write); }
  /// An input. Throws nothing.
  void read(const Tensor& tensor) { inputs_[input_count_++] = {&tensor, nullptr, AccessMode::read, {}, {}}; }
  /// An input that is read as one of `shape`, to which it must broadcast (`apply` throws ShapeError otherwise).
  void read(const Tensor& tensor, const Shape& shape) {
    inputs_[input_count_++] = {&tensor, &shape, AccessMode::read, {}, {}};
  }
  void read(const Tensor&&) = delete;
  void read(const Tensor&&, const Shape&) = delete;
  /// An input that is a number, as one element of `dtype`, of the rank of the first output with all strides zero (add
  /// outputs first). A value that `dtype` cannot hold is converted as a cast would: the operator checks it before.
  void constant(const Scalar& value, DType dtype);

  template <typename T>
  void parameters(const T& value) {
    parameters_ = Parameters(value);
  }

  const char* name() const { return name_; }
  const KernelRow& kernel() const { return kernel_; }
  const CallSite& site() const { return site_; }
  const Parameters& parameters() const { return parameters_; }
  int output_count() const { return output_count_; }
  int input_count() const { return input_count_; }
  const Argument& output(int i) const { return outputs_[i]; }
  const Argument& input(int i) const { return inputs_[i]; }

 private:
  void add_output(const Tensor& tensor, AccessMode mode) {
    outputs_[output_count_++] = {&tensor, nullptr, mode, {}, {}};
  }

  const char* name_;
  const KernelRow& kernel_;
  CallSite site_;
  int output_count_ = 0;
  int input_count_ = 0;
  Argument outputs_[max_outputs];
  Argument inputs_[max_inputs];
  Parameters parameters_;
};

/// The one door: submits the call, at least one output, to the engine and returns. Every public operator passes it.
///
/// Throws DeviceError when tensors are on different devices (naming both), UsageError when a tensor is not defined,
/// when an output's own elements share memory, or when the device has no such kernel: all with the call's name and
/// site. An error that the kernel throws later gets the call's name, shapes and site.
///
/// Outputs and inputs may share storage in any way: the result is as if every input had been read before any output was
/// written. An input that is exactly the output (same elements, same order) is handed to the kernel as it is, any other
/// overlap goes through a temporary.
void apply(const OperatorCall& call);

/// `apply` to a given device and kind of lane, with tensors of any device: for copies between devices.
void apply_on(Device device, LaneRole role, const OperatorCall& call);

/// A contiguous tensor without values yet, for an output. Throws DeviceError, or ShapeError when its bytes cannot be
/// counted.
Tensor make_output(const Shape& shape, DType dtype, Device device);

}  // namespace stretto
