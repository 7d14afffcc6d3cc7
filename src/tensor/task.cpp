#include <stretto/tensor/task.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include <stretto/base/error.h>

#include "engine/engine.h"
#include "tensor/default_generator.h"
#include "tensor/task_body.h"
#include "tensor/tensor_implementation.h"

namespace stretto {

namespace {

bool allows(AccessMode declared, bool for_writing) { return for_writing ? writes(declared) : reads(declared); }

[[noreturn]] void throw_undeclared(const BodyContext& context, const std::string& tensor, bool for_writing) {
  throw UsageError(
      context.name(),
      tensor + " was not declared for " + (for_writing ? "writing" : "reading") + ": begin the task with " +
          (for_writing ? "write(x) or read_write(x), or ask for data<const T>" : "read(x) or read_write(x)"),
      context.site());
}

void check_dtype(const BodyContext& context, DType own, DType asked) {
  if (own == asked) return;
  throw DTypeError(context.name(),
                   "the data of a " + std::string(name(own)) + " tensor was asked for as " + std::string(name(asked)),
                   context.site());
}

void check_device(Device device, const char* task, const CallSite& site) {
  try {
    Engine::get().check_device(device);
  } catch (Error& error) {
    error.with_context(task, site);
    throw;
  }
}

}  // namespace

Device TaskContext::device() const { return context_.device(); }

void* TaskContext::cuda_stream() const { return context_.kernels().native_stream(); }

void* TaskContext::cublas_handle() const { return context_.kernels().native_blas(); }

void* TaskContext::find(const Tensor& x, DType dtype, bool for_writing) const {
  const TensorImplementation& tensor = check_defined(x, context_.name(), context_.site());
  Buffer* buffer = tensor.buffer.get();
  const std::int64_t first = tensor.whole ? 0 : tensor.box.offset();
  const std::int64_t end = tensor.whole ? static_cast<std::int64_t>(buffer->bytes()) : tensor.box.end();
  for (std::size_t i = 0; i < context_.access_count(); ++i) {
    if (&context_.buffer(i) != buffer || !allows(context_.mode(i), for_writing)) continue;
    const TaskLayout::Part part = layout_.part(i, buffer->bytes());
    if (tensor.numel > 0 && (first < part.first || end > part.end)) continue;
    check_dtype(context_, tensor.dtype, dtype);
    return tensor.data();
  }
  throw_undeclared(context_, "the tensor of " + describe(tensor.geometry.shape, tensor.dtype), for_writing);
}

void* TaskContext::find(std::size_t index, DType dtype, bool for_writing) const {
  const std::size_t count = context_.access_count();
  if (index >= count) [[unlikely]] {
    throw IndexError(context_.name(),
                     "there is no tensor " + std::to_string(index) + ": the task declared " + std::to_string(count),
                     context_.site());
  }
  if (!allows(context_.mode(index), for_writing)) [[unlikely]]
    throw_undeclared(context_, "tensor " + std::to_string(index), for_writing);
  const TaskLayout::Part part = layout_.part(index, 0);
  check_dtype(context_, part.dtype, dtype);
  return context_.data(index) + part.begin;
}

void TaskContext::call_in_parallel(std::int64_t count, void (*call)(void*, std::int64_t), void* body) const {
  if (count > 0) context_.kernels().parallel_for(count, [call, body](std::int64_t i) { call(body, i); });
}

TaskBuilder task(const std::string& name, Device device, CallSite site) {
  return TaskBuilder(intern(name), &device, site);
}

TaskBuilder task(const std::string& name, CallSite site) { return TaskBuilder(intern(name), nullptr, site); }

TaskBuilder& TaskBuilder::add_owned(Tensor&& tensor, std::uintptr_t bits) {
  add(tensor.implementation(), bits | owned_bit);
  owned_ = true;
  tensor.give_up();
  return *this;
}

void TaskBuilder::grow() {
  auto larger = std::make_unique<std::uintptr_t[]>(2 * static_cast<std::size_t>(capacity_));
  std::copy(entries_, entries_ + count_, larger.get());
  more_entries_ = std::move(larger);
  entries_ = more_entries_.get();
  capacity_ *= 2;
}

void TaskBuilder::release_owned() {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (entries_[i] & owned_bit) Tensor::adopt(reinterpret_cast<TensorImplementation*>(entries_[i] & ~all_bits));
  }
}

void TaskBuilder::submit(detail::Closure&& body) {
  std::array<const TensorImplementation*, inline_capacity> inline_tensors;
  std::array<Access, inline_capacity> inline_accesses;
  std::vector<const TensorImplementation*> more_tensors;
  std::vector<Access> more_accesses;
  const TensorImplementation** tensors = inline_tensors.data();
  Access* accesses = inline_accesses.data();
  if (count_ > inline_capacity) {
    more_tensors.resize(count_);
    more_accesses.resize(count_);
    tensors = more_tensors.data();
    accesses = more_accesses.data();
  }
  const bool is_traced = trace::enabled();
  for (std::uint32_t i = 0; i < count_; ++i) {
    const auto* tensor = reinterpret_cast<const TensorImplementation*>(entries_[i] & ~all_bits);
    if (tensor == nullptr) throw_undefined(name_, site_);
    if (is_traced) [[unlikely]]
      trace::prefetch_shape(tensor->geometry.shape);
    if (!has_device_) {
      device_ = tensor->device;
      has_device_ = true;
    }
    if (tensor->device != device_) {
      throw DeviceError(name_,
                        "the task runs on " + to_string(device_) + ", tensor " + std::to_string(i) + " of " +
                            describe(tensor->geometry.shape, tensor->dtype) + " is on " + to_string(tensor->device) +
                            ": move it with to(device)",
                        site_);
    }
    tensor->buffer->prefetch_log();
    tensors[i] = tensor;
    accesses[i] = {tensor->buffer.get(), tensor->access_box(), static_cast<AccessMode>(entries_[i] & 3)};
  }
  if (!has_device_) device_ = default_device();
  if (count_ == 0) check_device(device_, name_, site_);
  std::array<trace::Operand, inline_capacity> inline_operands;
  std::vector<trace::Operand> more_operands;
  std::span<trace::Operand> operands;
  if (is_traced) [[unlikely]] {
    if (count_ > inline_capacity) more_operands.resize(count_);
    operands = {count_ > inline_capacity ? more_operands.data() : inline_operands.data(), count_};
    for (std::uint32_t i = 0; i < count_; ++i)
      operands[i] = {&tensors[i]->geometry.shape, tensors[i]->dtype, reads(accesses[i].mode), writes(accesses[i].mode)};
  }
  if (Capture* const capture = Capture::current()) [[unlikely]] {
    for (std::uint32_t i = 0; i < count_; ++i) note_origin(*capture, *tensors[i]);
  }
  Engine::get().submit({.name = name_,
                        .site = site_,
                        .device = device_,
                        .priority = priority_,
                        .outside_effect = true,
                        .accesses = {accesses, count_},
                        .operands = operands},
                       TaskBody(std::move(body), TaskLayout({tensors, count_}), next_task_key()));
}

}  // namespace stretto
