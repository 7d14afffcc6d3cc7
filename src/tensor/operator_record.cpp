#include "tensor/operator_record.h"

#include <cstring>
#include <functional>
#include <new>
#include <string>

#include <stretto/base/error.h>

#include "base/small_objects.h"
#include "kernels/kernel_cost.h"

namespace stretto {

namespace {

constexpr std::int64_t no_strides[max_rank] = {};

/// Records larger than every small object; `free` tells them by this.
constexpr std::size_t record_bytes(int arrays, int ranks) {
  return sizeof(OperatorRecord) + static_cast<std::size_t>(arrays) * (sizeof(Array) + 8) +
         2 * sizeof(std::int64_t) * static_cast<std::size_t>(ranks);
}
static_assert(record_bytes(OperatorRecord::max_arrays, OperatorRecord::max_arrays* max_rank) <=
              SmallObjects::sizes.back());

/// A loop: for a few numbers a call of memcmp costs more.
bool equal(const std::int64_t* a, const IndexList& b) {
  for (int i = 0; i < b.rank(); ++i)
    if (a[i] != b[i]) return false;
  return true;
}

}  // namespace

void OperatorRecord::Release::operator()(OperatorRecord* record) const noexcept {
  SmallObjects::free(record, record->size_class_);
}

OperatorRecord::OperatorRecord(const OperatorCall& call, std::size_t size_class)
    : kernel_(&call.kernel()),
      size_class_(static_cast<std::uint8_t>(size_class)),
      output_count_(static_cast<std::uint8_t>(call.output_count())),
      array_count_(static_cast<std::uint8_t>(call.output_count() + call.input_count())),
      parameters_(call.parameters()) {}

OperatorRecord::Owner OperatorRecord::make(const OperatorCall& call, const TensorImplementation* const* tensors,
                                           Access* accesses, std::size_t& access_count) {
  const int count = call.output_count() + call.input_count();
  int ranks = 0;
  for (int i = 0; i < count; ++i) {
    const Shape* broadcast = i < call.output_count() ? nullptr : call.input(i - call.output_count()).broadcast;
    if (tensors[i]) ranks += broadcast ? broadcast->rank() : tensors[i]->geometry.shape.rank();
  }
  const std::size_t size_class = SmallObjects::size_class(record_bytes(count, ranks));
  Owner owner(new (SmallObjects::allocate(size_class)) OperatorRecord(call, size_class));
  OperatorRecord& record = *owner;

  Array* array = record.own_arrays();
  auto* numbers = reinterpret_cast<std::int64_t*>(array + count);
  const auto store = [&numbers](const IndexList& list) {
    const std::int64_t* stored = numbers;
    numbers = std::copy(list.begin(), list.end(), numbers);
    return stored;
  };
  const std::int64_t* shape = nullptr;
  int rank = 0;
  access_count = 0;
  for (int i = 0; i < count; ++i, ++array) {
    const bool is_output = i < call.output_count();
    const OperatorCall::Argument& argument = is_output ? call.output(i) : call.input(i - call.output_count());
    const TensorImplementation* tensor = tensors[i];
    if (tensor == nullptr) {
      std::memcpy(numbers, argument.constant, sizeof(argument.constant));
      const Array& first = record.arrays().front();
      new (array) Array{.data = reinterpret_cast<std::byte*>(numbers++),
                        .shape = first.shape,
                        .strides = no_strides,
                        .dtype = argument.dtype,
                        .rank = first.rank,
                        .constant = true};
      continue;
    }
    const Shape& own_shape = tensor->geometry.shape;
    const Strides& own_strides = tensor->geometry.strides;
    const bool broadcasts = argument.broadcast != nullptr && (argument.broadcast->rank() != own_shape.rank() ||
                                                              !equal(argument.broadcast->begin(), own_shape));
    const Shape& read_shape = broadcasts ? *argument.broadcast : own_shape;
    // Most operators' arrays have one shape: stored once.
    if (shape == nullptr || rank != read_shape.rank() || !equal(shape, read_shape)) {
      rank = read_shape.rank();
      shape = store(read_shape);
    }
    const std::int64_t* strides =
        broadcasts ? store(broadcast_strides(own_shape, own_strides, read_shape)) : store(own_strides);
    new (array) Array{.data = reinterpret_cast<std::byte*>(tensor->byte_offset()),
                      .shape = shape,
                      .strides = strides,
                      .dtype = tensor->dtype,
                      .rank = static_cast<std::uint8_t>(rank),
                      .constant = false};

    Buffer* buffer = tensor->buffer.get();
    const Box* box = tensor->access_box();
    std::size_t access = 0;
    while (access < access_count &&
           !(accesses[access].buffer == buffer &&
             (box == accesses[access].box || (box && accesses[access].box && *box == *accesses[access].box))))
      ++access;
    if (access == access_count) {
      accesses[access_count++] = {buffer, box, argument.mode};
    } else {
      accesses[access].mode = static_cast<AccessMode>(static_cast<std::uint8_t>(accesses[access].mode) |
                                                      static_cast<std::uint8_t>(argument.mode));
    }
    record.access_of_[i] = static_cast<std::uint8_t>(access);
  }
  return owner;
}

OperatorRecord::Owner OperatorRecord::copy() const {
  const std::size_t bytes = SmallObjects::sizes[size_class_];
  Owner owner(static_cast<OperatorRecord*>(SmallObjects::allocate(size_class_)));
  std::memcpy(static_cast<void*>(owner.get()), static_cast<const void*>(this), bytes);
  // What points into the record has to point into the copy.
  const auto* const from = reinterpret_cast<const std::byte*>(this);
  auto* const to = reinterpret_cast<std::byte*>(owner.get());
  const auto moved = [&]<typename T>(T* pointer) {
    const auto* const at = reinterpret_cast<const std::byte*>(pointer);
    const bool is_inside = std::greater_equal<>()(at, from) && std::less<>()(at, from + bytes);
    return is_inside ? reinterpret_cast<T*>(to + (at - from)) : pointer;
  };
  for (std::size_t i = 0; i < array_count_; ++i) {
    Array& array = owner->own_arrays()[i];
    array.shape = moved(array.shape);
    array.strides = moved(array.strides);
    if (array.constant) array.data = moved(array.data);
  }
  return owner;
}

bool OperatorRecord::is_same(const OperatorRecord& other) const {
  if (kernel_ != other.kernel_ || output_count_ != other.output_count_ || array_count_ != other.array_count_ ||
      !(parameters_ == other.parameters_))
    return false;
  for (std::size_t i = 0; i < array_count_; ++i) {
    const Array& array = arrays()[i];
    const Array& same = other.arrays()[i];
    if (array.dtype != same.dtype || array.rank != same.rank || array.constant != same.constant) return false;
    for (int axis = 0; axis < array.rank; ++axis)
      if (array.shape[axis] != same.shape[axis]) return false;
    if (array.constant) {
      if (std::memcmp(array.data, same.data, item_size(array.dtype)) != 0) return false;
      continue;
    }
    if (array.data != same.data || access_of_[i] != other.access_of_[i]) return false;
    for (int axis = 0; axis < array.rank; ++axis)
      if (array.strides[axis] != same.strides[axis]) return false;
  }
  return true;
}

void OperatorRecord::run(BodyContext& context) const {
  // Filled in on the stack: a record may be run again.
  alignas(Array) std::byte storage[max_arrays * sizeof(Array)];
  auto* placed = reinterpret_cast<Array*>(storage);
  for (int i = 0; i < array_count_; ++i) {
    Array* array = new (placed + i) Array(arrays()[static_cast<std::size_t>(i)]);
    if (!array->constant) array->data = context.data(access_of_[i]) + reinterpret_cast<std::intptr_t>(array->data);
  }
  const std::size_t outputs = output_count_, inputs = static_cast<std::size_t>(array_count_ - output_count_);
  const KernelCall call{{placed, outputs}, {placed + outputs, inputs}, parameters_};
  const auto describe = [this] { return describe_operands(); };
  const FunctionRef<std::string()> described(describe);
  const KernelContext::Operands operands(context.kernels(), described);
  try {
    if (KernelMeter* meter = context.kernels().meter(); meter != nullptr && !begin_kernel(*meter, *kernel_, call))
      return;
    kernel_->find(context.device().kind())(call, context.kernels());
  } catch (Error& error) {
    error.with_context(context.name(), context.site()).with_operands(describe_operands());
    throw;
  }
}

std::string OperatorRecord::describe_operands() const {
  std::string text;
  const int first = array_count_ > output_count_ ? output_count_ : 0;
  for (int i = first; i < array_count_; ++i) {
    const Array& array = arrays()[static_cast<std::size_t>(i)];
    if (i > first) text += ", ";
    if (array.constant) {
      text += "a number";
    } else {
      text += describe(Shape(std::span(array.shape, array.rank)), array.dtype);
    }
  }
  return text;
}

}  // namespace stretto
