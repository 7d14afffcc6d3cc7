#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include <stretto/core/device.h>
#include <stretto/core/dtype.h>

#include "backend/kernel_context.h"

namespace stretto {

/// One operand as a kernel sees it: a strided array whose memory is there.
///
/// `shape` and `strides` point to `rank` numbers that live as long as the call; strides count elements and may be zero
/// (broadcast) or negative. A `constant` is one element in host memory, whatever the device, with all strides zero:
/// a device kernel reads it on the host and passes it by value.
struct Array {
  std::byte* data = nullptr;
  const std::int64_t* shape = nullptr;
  const std::int64_t* strides = nullptr;
  DType dtype = DType::float32;
  std::uint8_t rank = 0;
  bool constant = false;

  std::int64_t numel() const {
    std::int64_t count = 1;
    for (int axis = 0; axis < rank; ++axis) count *= shape[axis];
    return count;
  }
  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
};

/// What an operator tells its kernel beside the arrays: one trivially copyable struct of at most `capacity` bytes,
/// which operator and kernel agree on in `kernels/parameters.h`. Compared byte by byte, so a struct with padding may be
/// taken for another than it is.
class Parameters {
 public:
  static constexpr std::size_t capacity = 48;

  Parameters() = default;
  template <typename T>
    requires(std::is_trivially_copyable_v<T> && sizeof(T) <= capacity && !std::is_same_v<T, Parameters>)
  Parameters(const T& value) {  // NOLINT(google-explicit-constructor): the struct is what is meant
    std::memcpy(bytes_.data(), &value, sizeof(T));
  }
  template <typename T>
  T get() const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= capacity);
    T value;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    return value;
  }
  /// Whether both were made of the same bytes.
  bool operator==(const Parameters& other) const {
    return std::memcmp(bytes_.data(), other.bytes_.data(), capacity) == 0;
  }

 private:
  alignas(8) std::array<std::byte, capacity> bytes_{};
};

/// One call: arrays written, arrays read, parameters. An output may be the very same array as an input (in place);
/// any other overlap has been resolved before.
struct KernelCall {
  std::span<const Array> outputs;
  std::span<const Array> inputs;
  const Parameters& parameters;
};

/// CPU and sim: computes before it returns, throws Error on bad values (an index out of range). CUDA: enqueues on
/// `context.native_stream()`. A kernel knows no graph, no tensor and no memory pool.
using Kernel = void (*)(const KernelCall&, KernelContext&);

/// The arithmetic operations of one call, on whatever device; see KernelCost.
using KernelFlops = double (*)(const KernelCall&);

/// Whether, of a call with these types, each element of the one output is a function of the same elements of the inputs
/// alone, whatever they hold: then any part of the elements can be computed by itself, and no value is found fault
/// with.
using KernelIsElementwise = bool (*)(const KernelCall&);

/// One row of the table (operator, device kind) -> kernel. Rows live for the process, so a reference can be kept.
struct KernelRow {
  std::string_view name;
  std::array<std::atomic<Kernel>, device_kind_count> kernels{};
  std::atomic<KernelFlops> flops{nullptr};                ///< Null where memory is all that counts.
  std::atomic<KernelIsElementwise> elementwise{nullptr};  ///< Null where no call is.

  /// The kernel for a kind of device; null where none is registered. `sim` runs the kernels of `cpu` where it has none
  /// of its own.
  Kernel find(DeviceKind kind) const {
    const Kernel own = kernels[static_cast<std::size_t>(kind)].load(std::memory_order_acquire);
    if (own != nullptr || kind != DeviceKind::sim) return own;
    return kernels[static_cast<std::size_t>(DeviceKind::cpu)].load(std::memory_order_acquire);
  }
};

/// The row of an operator, made at the first call with that name. Thread-safe; slow (a locked map): keep the reference.
KernelRow& kernel_row(std::string_view name);

/// Puts a kernel into the table, with what holds for the operator on every device where that is given, during static
/// initialisation or when a backend's library is loaded: `static const KernelRegistration add{"add", DeviceKind::cpu,
/// &add_kernel};`
struct KernelRegistration {
  KernelRegistration(std::string_view name, DeviceKind kind, Kernel kernel, KernelIsElementwise elementwise = nullptr);
};

}  // namespace stretto
