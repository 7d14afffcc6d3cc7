#include "tensor/operator_call.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include <stretto/base/error.h>
#include <stretto/core/box.h>

#include "engine/engine.h"
#include "tensor/operator_record.h"
#include "tensor/repeated_operator.h"
#include "tensor/tensor_implementation.h"

namespace stretto {

namespace {

/// What a cast of a number makes of it: integers wrap, floating numbers are cut to the integer's range.
template <Element T>
T cast_number(const Scalar& value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (value.dtype() != DType::float64) return static_cast<T>(value.to<std::int64_t>());
    const double number = std::trunc(value.to<double>());
    if (std::isnan(number)) return 0;
    constexpr auto lowest = static_cast<double>(std::numeric_limits<T>::min());
    constexpr double above = 2.0 * static_cast<double>(T{1} << (std::numeric_limits<T>::digits - 1));
    if (number < lowest) return std::numeric_limits<T>::min();
    return number < above ? static_cast<T>(number) : std::numeric_limits<T>::max();
  } else {
    return value.to<T>();
  }
}

/// Whether reading `input` as `shape` meets the elements of `output` in any way but one by one in the same order.
bool clashes(const TensorImplementation& input, const Shape* broadcast, const TensorImplementation& output) {
  if (input.buffer.get() != output.buffer.get()) return false;
  const bool same_view = &input == &output || (input.geometry == output.geometry && input.dtype == output.dtype);
  if (same_view && (broadcast == nullptr || *broadcast == output.geometry.shape)) return false;
  if (input.numel == 0 || output.numel == 0) return false;
  if (input.whole || output.whole) return true;
  return overlaps(input.box, output.box);
}

[[noreturn]] void throw_devices(const OperatorCall& call, Device first, Device second) {
  throw DeviceError(call.name(),
                    "tensors are on different devices, " + to_string(first) + " and " + to_string(second) +
                        ": move one with to(device)",
                    call.site());
}

/// What a timeline shows of the call; returns how many there are.
[[gnu::noinline]] std::size_t list_operands(const OperatorCall& call, const TensorImplementation* const* tensors,
                                            trace::Operand* operands) {
  std::size_t count = 0;
  for (int i = 0; i < call.output_count() + call.input_count(); ++i) {
    const TensorImplementation* const tensor = tensors[i];
    if (tensor == nullptr) continue;
    const AccessMode mode = i < call.output_count() ? call.output(i).mode : AccessMode::read;
    operands[count++] = {&tensor->geometry.shape, tensor->dtype, reads(mode), writes(mode)};
  }
  return count;
}

/// An operator as the engine keeps it.
struct OperatorBody {
  OperatorRecord::Owner record;

  void operator()(BodyContext& context) const { record->run(context); }
  std::shared_ptr<const RepeatableBody> repeatable() { return std::make_shared<RepeatedOperator>(std::move(record)); }
};

/// How the engine compares operators.
struct OperatorKind final : BodyKind {
  std::shared_ptr<const RepeatableBody> copy(const Task& task) const override {
    return std::make_shared<RepeatedOperator>(placed_body<OperatorBody>(task).record->copy());
  }
  bool is_same(const Task& task, const RepeatableBody& copied) const override {
    return static_cast<const RepeatedOperator&>(copied).is_same(*placed_body<OperatorBody>(task).record);
  }
};
constexpr OperatorKind operator_kind;

void submit(Device device, LaneRole role, const OperatorCall& call, const TensorImplementation* const* tensors) {
  if (call.kernel().find(device.kind()) == nullptr) {
    throw UsageError(call.name(), "there is no kernel for " + std::string(name(device.kind())) + " devices",
                     call.site());
  }
  std::array<Access, OperatorRecord::max_arrays> accesses;
  std::size_t access_count = 0;
  OperatorRecord::Owner record;
  try {
    record = OperatorRecord::make(call, tensors, accesses.data(), access_count);
  } catch (Error& error) {
    error.with_context(call.name(), call.site());
    throw;
  }
  std::array<trace::Operand, OperatorRecord::max_arrays> operands;
  std::size_t operand_count = 0;
  if (trace::enabled()) [[unlikely]]
    operand_count = list_operands(call, tensors, operands.data());
  if (Capture* const capture = Capture::current()) [[unlikely]] {
    for (int i = 0; i < call.output_count() + call.input_count(); ++i)
      if (tensors[i] != nullptr) note_origin(*capture, *tensors[i]);
  }
  Engine::get().submit({.name = call.name(),
                        .site = call.site(),
                        .device = device,
                        .role = role,
                        .body_kind = &operator_kind,
                        .accesses = {accesses.data(), access_count},
                        .operands = {operands.data(), operand_count}},
                       OperatorBody{std::move(record)});
}

bool clashes_with_outputs(const OperatorCall& call, const TensorImplementation& input, const Shape* broadcast,
                          const TensorImplementation* const* outputs) {
  for (int i = 0; i < call.output_count(); ++i) {
    if (clashes(input, broadcast, *outputs[i])) return true;
  }
  return false;
}

/// Reads a copy of every input that an output would overwrite too early.
[[gnu::noinline]] void submit_with_copies(const OperatorCall& call, const TensorImplementation** tensors) {
  std::array<Tensor, OperatorCall::max_inputs> copies;
  const int outputs = call.output_count();
  for (int i = 0; i < call.input_count(); ++i) {
    const TensorImplementation*& tensor = tensors[outputs + i];
    if (tensor == nullptr || !clashes_with_outputs(call, *tensor, call.input(i).broadcast, tensors)) continue;
    copies[static_cast<std::size_t>(i)] = call.input(i).tensor->clone(call.site());
    tensor = &implementation_of(copies[static_cast<std::size_t>(i)]);
  }
  submit(tensors[0]->device, LaneRole::compute, call, tensors);
}

// Smaller tensors are not held against the device's limit: whether there is memory for them turns out when they get it.
constexpr std::int64_t looked_at_from = 1 << 20;

/// What is larger than the device's memory in all need not be tried.
[[gnu::noinline]] void check_limit(const Shape& shape, DType dtype, Device device, std::size_t bytes) {
  const std::size_t limit = Engine::get().memory_pool(device).limit();
  if (bytes <= limit) return;
  throw OutOfMemoryError(describe(shape, dtype) + " takes " + std::to_string(bytes) + " bytes, and " +
                         to_string(device) + " has " + std::to_string(limit) + " in all");
}

[[noreturn]] void throw_repeating_output(const OperatorCall& call) {
  throw UsageError(call.name(),
                   "cannot write into a tensor whose elements share memory, as expand makes them: clone it first",
                   call.site());
}

}  // namespace

void OperatorCall::constant(const Scalar& value, DType dtype) {
  Argument& argument = inputs_[input_count_++];
  argument.tensor = nullptr;
  argument.dtype = dtype;
  visit_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
    const T element = cast_number<T>(value);
    std::memcpy(argument.constant, &element, sizeof(element));
  });
}

void apply(const OperatorCall& call) {
  std::array<const TensorImplementation*, OperatorRecord::max_arrays> tensors;
  const int outputs = call.output_count();
  // Whatever is applied writes something.
  const Device device = check_defined(*call.output(0).tensor, call.name(), call.site()).device;
  for (int i = 0; i < outputs; ++i) {
    tensors[i] = &check_defined(*call.output(i).tensor, call.name(), call.site());
    if (tensors[i]->device != device) throw_devices(call, device, tensors[i]->device);
    if (tensors[i]->repeats) throw_repeating_output(call);
  }
  bool any_clash = false;
  for (int i = 0; i < call.input_count(); ++i) {
    const OperatorCall::Argument& input = call.input(i);
    const TensorImplementation*& tensor = tensors[outputs + i];
    tensor = nullptr;
    if (input.tensor == nullptr) continue;
    tensor = &check_defined(*input.tensor, call.name(), call.site());
    if (tensor->device != device) throw_devices(call, device, tensor->device);
    any_clash |= clashes_with_outputs(call, *tensor, input.broadcast, tensors.data());
  }
  if (any_clash) [[unlikely]] {
    submit_with_copies(call, tensors.data());
  } else {
    submit(device, LaneRole::compute, call, tensors.data());
  }
}

void apply_on(Device device, LaneRole role, const OperatorCall& call) {
  std::array<const TensorImplementation*, OperatorRecord::max_arrays> tensors;
  int count = 0;
  for (int i = 0; i < call.output_count(); ++i) tensors[count++] = &implementation_of(*call.output(i).tensor);
  for (int i = 0; i < call.input_count(); ++i) tensors[count++] = &implementation_of(*call.input(i).tensor);
  submit(device, role, call, tensors.data());
}

Tensor make_output(const Shape& shape, DType dtype, Device device) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(shape.numel(), static_cast<std::int64_t>(item_size(dtype)), &bytes)) {
    throw ShapeError(describe(shape, dtype) + " has more bytes than 63 bits can count");
  }
  BufferReference buffer = Engine::get().create_buffer(device, static_cast<std::size_t>(bytes));
  if (bytes >= looked_at_from) check_limit(shape, dtype, device, static_cast<std::size_t>(bytes));
  return Tensor::adopt(new TensorImplementation(std::move(buffer), dtype, {shape, contiguous_strides(shape), 0}, true));
}

}  // namespace stretto
