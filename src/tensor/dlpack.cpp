#include <stretto/tensor/dlpack.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include <stretto/base/error.h>
#include <stretto/tensor/devices.h>

#include "base/log.h"
#include "engine/engine.h"
#include "engine/read_hold.h"
#include "engine/scheduler.h"
#include "tensor/dlpack_layout.h"
#include "tensor/tensor_implementation.h"
#include "tensor/with_context.h"

namespace stretto {

namespace {

struct TypeRow {
  DType dtype;
  std::uint8_t code;
};
constexpr TypeRow types[] = {
    {DType::float32, dlpack::float_code},   {DType::float64, dlpack::float_code}, {DType::float16, dlpack::float_code},
    {DType::bfloat16, dlpack::bfloat_code}, {DType::int32, dlpack::int_code},     {DType::int64, dlpack::int_code},
    {DType::uint8, dlpack::uint_code},      {DType::bool_, dlpack::bool_code},
};

DLDataType type_of(DType dtype) {
  const auto row = std::ranges::find(types, dtype, &TypeRow::dtype);
  return {row->code, static_cast<std::uint8_t>(8 * item_size(dtype)), 1};
}

DType dtype_of(const DLDataType& type) {
  const auto row = std::ranges::find_if(
      types, [&](const TypeRow& one) { return one.code == type.code && 8 * item_size(one.dtype) == type.bits; });
  if (row == std::end(types) || type.lanes != 1) {
    throw DTypeError("elements of DLPack's type " + std::to_string(type.code) + " with " + std::to_string(type.bits) +
                     " bits and " + std::to_string(type.lanes) + " lanes are none of this library's");
  }
  return row->dtype;
}

/// Null where the device is the CPU.
ForeignQueues* queues_of(Device device) {
  if (device.kind() == DeviceKind::cpu) return nullptr;
  ForeignQueues* const queues = Engine::get().backend(device.kind())->foreign_queues();
  if (queues == nullptr) throw UsageError("other libraries do not know the device " + to_string(device));
  return queues;
}

DLDevice device_of(Device device, ForeignQueues* queues) {
  if (queues == nullptr) return {dlpack::cpu_device, 0};
  return {dlpack::cuda_device, queues->number(device.index())};
}

Device device_of(const DLDevice& device) {
  if (device.device_type == dlpack::cpu_device || device.device_type == dlpack::cuda_host_device) return {};
  if (device.device_type == dlpack::cuda_device) {
    for (int index = 0; index < device_count(DeviceKind::cuda); ++index) {
      const Device own(DeviceKind::cuda, index);
      if (queues_of(own)->number(index) == device.device_id) return own;
    }
  }
  throw DeviceError("this process does not use DLPack's device of type " + std::to_string(device.device_type) +
                    " with number " + std::to_string(device.device_id));
}

/// What a lease keeps.
struct Lease {
  DLManagedTensorVersioned managed{};
  std::array<std::int64_t, max_rank> shape{};
  std::array<std::int64_t, max_rank> strides{};
  Tensor tensor;
  void* stream = nullptr;
  CallSite site;
  std::unique_ptr<ReadHold> hold;  ///< Goes before the tensor.
};

/// Who writes the tensor later comes after what is in the lease's stream now.
void end_on_queue(std::unique_ptr<Lease> lease) {
  const Device device = implementation_of(lease->tensor).device;
  ForeignQueues& queues = *queues_of(device);
  const auto moment = queues.mark(device.index(), lease->stream);
  auto* const memory = reinterpret_cast<std::byte*>(lease.get());
  const CallSite site = lease->site;
  // The lease goes with the buffer, and that when the task that waits for the stream is done.
  const BufferReference kept =
      Engine::get().borrow_foreign(device, memory, 0, std::shared_ptr<const Lease>(std::move(lease)));
  const Access access{kept.get(), nullptr, AccessMode::read};
  Engine::get().submit({.name = "end of lease",
                        .site = site,
                        .device = device,
                        .role = LaneRole::peer,
                        .outside_effect = true,
                        .accesses = {&access, 1}},
                       [&queues, moment](BodyContext& context) {
                         queues.wait(context.device().index(), context.kernels().native_stream(), *moment);
                       });
}

void end_lease(DLManagedTensorVersioned* managed) {
  std::unique_ptr<Lease> lease(static_cast<Lease*>(managed->manager_ctx));
  // A child that a fork made has no GPU.
  if (implementation_of(lease->tensor).device.kind() == DeviceKind::cpu || lease->hold->forgotten()) return;
  try {
    end_on_queue(std::move(lease));
  } catch (const std::exception& error) {
    log(LogLevel::error, std::string("the end of a lease does not wait for its stream: ") + error.what());
  }
}

/// How the task goes that makes the lease's reader wait.
struct Arrival {
  std::atomic<bool> over{false};
  bool ran = false;
  std::exception_ptr error;
};

/// Says that the task's body is gone, whether or not it ran.
class ArrivalNote {
 public:
  explicit ArrivalNote(std::shared_ptr<Arrival> arrival) : arrival_(std::move(arrival)) {}
  ArrivalNote(ArrivalNote&&) noexcept = default;
  ArrivalNote& operator=(ArrivalNote&&) = delete;
  ~ArrivalNote() {
    if (arrival_ != nullptr) arrival_->over.store(true, std::memory_order_release);
  }
  Arrival* operator->() const { return arrival_.get(); }

 private:
  std::shared_ptr<Arrival> arrival_;
};

void make_wait(const BodyContext& context, ForeignQueues* queues, void* stream) {
  if (queues == nullptr) return;
  const int device = context.device().index();
  queues->wait(device, stream, *queues->mark(device, context.kernels().native_stream()));
}

/// Returns once the values are there, or `stream` waits for them; throws where they never will be.
template <typename Hold>
void reach(const TensorImplementation& tensor, ForeignQueues* queues, void* stream, const CallSite& site, Hold hold) {
  Engine& engine = Engine::get();
  const auto arrival = std::make_shared<Arrival>();
  const Access access{tensor.buffer.get(), tensor.access_box(), AccessMode::read};
  engine.submit({.name = "to_dlpack", .site = site, .device = tensor.device, .accesses = {&access, 1}},
                [queues, stream, note = ArrivalNote(arrival)](BodyContext& context) {
                  try {
                    make_wait(context, queues, stream);
                  } catch (const Error&) {
                    note->error = std::current_exception();
                  }
                  note->ran = true;
                });
  engine.submit_held();
  hold();
  engine.scheduler().await([&] { return arrival->over.load(std::memory_order_acquire); });
  if (arrival->error) with_context("to_dlpack", site, [&] { std::rethrow_exception(arrival->error); });
  if (arrival->ran) return;
  // It was skipped, and this throws what for.
  engine.wait(*tensor.buffer, tensor.access_box(), "to_dlpack", site);
  throw Error("to_dlpack", "the tensor has no values", site);
}

}  // namespace

void DlpackDeleter::operator()(DLManagedTensorVersioned* tensor) const noexcept {
  if (tensor->deleter != nullptr) tensor->deleter(tensor);
}

DlpackLease to_dlpack(const Tensor& x, void* stream, CallSite site) {
  const TensorImplementation& tensor = check_defined(x, "to_dlpack", site);
  Capture::give_up("lends a tensor's memory");
  Engine& engine = Engine::get();
  ForeignQueues* const queues = with_context("to_dlpack", site, [&] {
    if (engine.scheduler().thread().frame != nullptr) throw UsageError("called inside a task");
    return queues_of(tensor.device);
  });
  auto lease = std::make_unique<Lease>();
  lease->tensor = x;
  lease->stream = stream;
  lease->site = site;
  reach(tensor, queues, stream, site, [&] {
    lease->hold = std::make_unique<ReadHold>(engine.scheduler(), *tensor.buffer, tensor.access_box(), "lease", site);
  });
  std::ranges::copy(tensor.geometry.shape, lease->shape.begin());
  std::ranges::copy(tensor.geometry.strides, lease->strides.begin());
  lease->managed = {.version = dlpack::version,
                    .manager_ctx = lease.get(),
                    .deleter = &end_lease,
                    .flags = dlpack::read_only_flag,
                    .dl_tensor = {.data = tensor.data(),
                                  .device = device_of(tensor.device, queues),
                                  .ndim = tensor.geometry.shape.rank(),
                                  .dtype = type_of(tensor.dtype),
                                  .shape = lease->shape.data(),
                                  .strides = lease->strides.data(),
                                  .byte_offset = 0}};
  return DlpackLease(&lease.release()->managed);
}

namespace {

/// The bytes from the first element to the last in memory, whatever the strides.
struct Extent {
  std::int64_t before = 0;  ///< Bytes in front of element (0, 0, ...).
  std::int64_t bytes = 0;
};

Extent extent_of(const Shape& shape, const Strides& strides, DType dtype) {
  const auto item = static_cast<std::int64_t>(item_size(dtype));
  if (shape.numel() == 0) return {};
  Extent extent{0, item};
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const std::int64_t length = (shape[axis] - 1) * strides[axis] * item;
    extent.bytes += std::abs(length);
    if (length < 0) extent.before -= length;
  }
  return extent;
}

/// Whoever uses the memory from here on comes after `moment`.
void start_after(Buffer& memory, ForeignQueues& queues, std::shared_ptr<ForeignQueues::Moment> moment,
                 const CallSite& site) {
  // Nothing is written, which the engine need not know.
  const Access access{&memory, nullptr, AccessMode::read_write};
  Engine::get().submit({.name = "from_dlpack", .site = site, .device = memory.device(), .accesses = {&access, 1}},
                       [&queues, moment = std::move(moment)](BodyContext& context) {
                         queues.wait(context.device().index(), context.kernels().native_stream(), *moment);
                       });
}

}  // namespace

Tensor from_dlpack(DLManagedTensorVersioned* tensor, void* stream, CallSite site) {
  return with_context("from_dlpack", site, [&] {
    if (tensor->version.major != dlpack::version.major) {
      throw UsageError("the tensor is of DLPack " + std::to_string(tensor->version.major) + "." +
                       std::to_string(tensor->version.minor) + ", of which version 1 is understood");
    }
    const DLTensor& given = tensor->dl_tensor;
    const auto rank = static_cast<std::size_t>(given.ndim);
    const Shape shape(std::span<const std::int64_t>(given.shape, rank), site);
    const Strides strides = given.strides == nullptr
                                ? contiguous_strides(shape)
                                : Strides(std::span<const std::int64_t>(given.strides, rank), site);
    const DType dtype = dtype_of(given.dtype);
    const Device device = device_of(given.device);
    const auto item = static_cast<std::int64_t>(item_size(dtype));
    const Extent extent = extent_of(shape, strides, dtype);
    auto* first = static_cast<std::byte*>(given.data);
    if (first != nullptr) first += given.byte_offset;
    if (reinterpret_cast<std::uintptr_t>(first) % static_cast<std::uintptr_t>(item) != 0)
      throw UsageError("elements of " + std::to_string(item) + " bytes do not lie at multiples of that");
    // No elements need no memory, but the engine takes null for memory that is still to come.
    std::byte* const memory = extent.bytes == 0 ? reinterpret_cast<std::byte*>(tensor) : first - extent.before;
    ForeignQueues* const queues = queues_of(device);
    const bool read_only = (tensor->flags & dlpack::read_only_flag) != 0;
    auto moment = queues == nullptr ? nullptr : queues->mark(device.index(), stream);
    const BufferReference buffer =
        Engine::get().borrow_foreign(device, memory, static_cast<std::size_t>(extent.bytes),
                                     std::shared_ptr<DLManagedTensorVersioned>(tensor, DlpackDeleter()));
    if (moment != nullptr) start_after(*buffer, *queues, std::move(moment), site);
    if (read_only) buffer->make_read_only();
    return make_tensor(buffer, dtype, {shape, strides, extent.before / item});
  });
}

}  // namespace stretto
