#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <stretto/base/call_site.h>
#include <stretto/base/error.h>
#include <stretto/base/export.h>
#include <stretto/core/device.h>
#include <stretto/core/dtype.h>
#include <stretto/core/scalar.h>
#include <stretto/core/shape.h>
#include <stretto/tensor/closure.h>
#include <stretto/tensor/operand.h>
#include <stretto/tensor/tensor_operators.h>

namespace stretto {

struct TensorImplementation;
template <Element T>
class HostSnapshot;

namespace detail {

struct TensorReferences {
  std::atomic<std::uint32_t> count{1};
};

/// What a closure given to `host_write` is called with.
struct HostValues {
  void* data;
  std::size_t count;
};

/// Copies into memory that nobody touched yet: by several threads, where it is large.
STRETTO_API void copy_to_fresh(void* to, const void* from, std::size_t bytes);

}  // namespace detail

/// A position of `x[i]`, which remembers the line it was written in. Made implicitly from an integer.
struct TensorIndex {
  template <std::integral T>
  TensorIndex(T position, CallSite call_site = std::source_location::current())
      : value(static_cast<std::int64_t>(position)), site(call_site) {}

  std::int64_t value;
  CallSite site;
};

/// A handle of an array of numbers on one device: shape, strides and element type, and the storage that it shares with
/// its views and copies. Copying a handle copies no element.
///
/// Operations return at once and run when what they depend on is done; only reading a value (`item`, `to_vector`,
/// `host`, printing) and `wait` block, and they block for this tensor alone. Results are those of running the program's
/// statements in order. A `const` handle is not a constant tensor: in-place functions may be called on it.
///
/// Every function but `defined` and assignment throws UsageError for a tensor that is not defined. `site` names the
/// person's line in errors and is filled in by the compiler. Axes count from the end when negative. A handle may be
/// used by several threads like an int: reading it together is fine.
class STRETTO_API Tensor : TensorOperators {
 public:
  /// Not defined: no shape, no storage.
  Tensor() noexcept = default;
  Tensor(const Tensor& other) noexcept : implementation_(other.implementation_) { retain(); }
  Tensor(Tensor&& other) noexcept : implementation_(std::exchange(other.implementation_, nullptr)) {}
  ~Tensor() { release(); }

  /// Assigning to a name makes it another name of `other`.
  Tensor& operator=(const Tensor& other) & noexcept {
    Tensor(other).swap(*this);
    return *this;
  }
  Tensor& operator=(Tensor&& other) & noexcept {
    Tensor(std::move(other)).swap(*this);
    return *this;
  }
  /// Assigning to what a call returned, as in `x[i] = y` or `x.slice(0, 1, 3) = 0`, writes the values into it: `copy_`.
  const Tensor& operator=(const Operand& value) && { return copy_(value); }

  void swap(Tensor& other) noexcept { std::swap(implementation_, other.implementation_); }

  // What it is.
  bool defined() const noexcept { return implementation_ != nullptr; }
  const Shape& shape(CallSite site = std::source_location::current()) const;
  /// In elements.
  const Strides& strides(CallSite site = std::source_location::current()) const;
  DType dtype(CallSite site = std::source_location::current()) const;
  Device device(CallSite site = std::source_location::current()) const;
  /// The number of elements.
  std::int64_t numel(CallSite site = std::source_location::current()) const;
  int rank(CallSite site = std::source_location::current()) const;
  /// The extent of one axis. Throws IndexError outside [-rank, rank).
  std::int64_t size(std::int64_t axis, CallSite site = std::source_location::current()) const;
  bool is_contiguous(CallSite site = std::source_location::current()) const;
  /// Whether both are views of one storage.
  bool shares_storage(const Tensor& other, CallSite site = std::source_location::current()) const;

  // Views: they share the storage, copy nothing and wait for nothing. ShapeError or IndexError where they do not fit.
  /// The same elements in another shape; one extent may be -1. Copies when no view can express it.
  Tensor reshape(const IndexList& shape, CallSite site = std::source_location::current()) const;
  /// One axis from all those of [first, last].
  Tensor flatten(std::int64_t first = 0, std::int64_t last = -1, CallSite site = std::source_location::current()) const;
  Tensor transpose(std::int64_t axis1, std::int64_t axis2, CallSite site = std::source_location::current()) const;
  /// The transpose of a matrix; a tensor of rank 0 or 1 is its own.
  Tensor t(CallSite site = std::source_location::current()) const;
  /// Axis i of the result is axis `axes[i]`.
  Tensor permute(const IndexList& axes, CallSite site = std::source_location::current()) const;
  /// Elements start, start + step, ... before `stop` along an axis, by Python's rules: `std::nullopt` means the edge.
  Tensor slice(std::int64_t axis, std::optional<std::int64_t> start = std::nullopt,
               std::optional<std::int64_t> stop = std::nullopt, std::int64_t step = 1,
               CallSite site = std::source_location::current()) const;
  /// Position `index` of the first axis, which disappears.
  Tensor operator[](const TensorIndex& index) const;
  /// Position `index` of `axis`, which disappears.
  Tensor select(std::int64_t axis, std::int64_t index, CallSite site = std::source_location::current()) const;
  /// `length` positions of `axis` from `start`, all of which must be there.
  Tensor narrow(std::int64_t axis, std::int64_t start, std::int64_t length,
                CallSite site = std::source_location::current()) const;
  /// Repeats axes of extent 1, and adds axes in front; -1 keeps an extent.
  Tensor expand(const IndexList& shape, CallSite site = std::source_location::current()) const;
  /// Without the axes of extent 1.
  Tensor squeeze(CallSite site = std::source_location::current()) const;
  /// Without `axis`, which must have extent 1.
  Tensor squeeze(std::int64_t axis, CallSite site = std::source_location::current()) const;
  /// With a new axis of extent 1 before `axis`.
  Tensor unsqueeze(std::int64_t axis, CallSite site = std::source_location::current()) const;
  /// The diagonal of two axes, `distance` to the right of the main one, as the last axis.
  Tensor diagonal(std::int64_t distance = 0, std::int64_t axis1 = 0, std::int64_t axis2 = 1,
                  CallSite site = std::source_location::current()) const;

  // Movement. Asynchronous in every direction, and safe: later writes on either side do not reach the other.
  /// The tensor on `device`; this handle where it is there already. Throws DeviceError for a device that is not there.
  Tensor to(Device device, CallSite site = std::source_location::current()) const;
  /// The tensor as another type; this handle where it has it already. Float to integer drops the fraction.
  Tensor to(DType dtype, CallSite site = std::source_location::current()) const;
  /// The values in a storage of their own, contiguous.
  Tensor clone(CallSite site = std::source_location::current()) const;
  /// This handle where it is contiguous, else `clone`.
  Tensor contiguous(CallSite site = std::source_location::current()) const;

  // In place. Each is one more ordered operation; earlier readers still see the earlier values.
  /// Writes `source` here, broadcast, cast and moved from its device as needed. Throws ShapeError when it does not
  /// broadcast, UsageError when elements of this view share memory, DTypeError for a number that this type cannot hold
  /// (a fraction is dropped for integers).
  const Tensor& copy_(const Operand& source) const;
  /// The same for a number.
  const Tensor& fill_(const Scalar& value, CallSite site = std::source_location::current()) const;
  const Tensor& zero_(CallSite site = std::source_location::current()) const;
  /// The result has this tensor's shape and type: DTypeError when the common type of both cannot be cast to it, as
  /// floating to integer, or `/=` on integers; and when bool is subtracted.
  const Tensor& operator+=(const Operand& other) const;
  const Tensor& operator-=(const Operand& other) const;
  const Tensor& operator*=(const Operand& other) const;
  const Tensor& operator/=(const Operand& other) const;

  // Host access. These block until the value is there, and throw the error of the operation that failed to make it.
  /// Blocks until all that was submitted before and writes this tensor is done.
  void wait(CallSite site = std::source_location::current()) const;
  /// The value of the only element, converted. Throws ShapeError for another number of elements, DTypeError when an
  /// integer type T cannot hold it.
  template <Element T>
  T item(CallSite site = std::source_location::current()) const {
    const Scalar value = item(site);
    try {
      return value.template to<T>();
    } catch (Error& error) {
      error.with_context("item", site);
      throw;
    }
  }
  Scalar item(CallSite site = std::source_location::current()) const;
  /// All elements in order. Throws DTypeError when T is not the tensor's type.
  template <Element T>
  std::vector<T> to_vector(CallSite site = std::source_location::current()) const;
  /// A read-only snapshot in host memory, contiguous: later writes to the tensor do not reach it. Throws DTypeError
  /// when T is not the tensor's type.
  ///
  /// It is a copy made at the call, except for a temporary that owns its storage alone, as in
  /// `x.to(cpu()).host<float>()`, which is taken over as it is.
  template <Element T>
  HostSnapshot<T> host(CallSite site = std::source_location::current()) const&;
  template <Element T>
  HostSnapshot<T> host(CallSite site = std::source_location::current()) &&;
  /// An ordered task that changes the tensor in host memory: `function(std::span<T>)` is called later, on a worker,
  /// with all elements in order. Returns at once. Throws DTypeError when T is not the tensor's type.
  template <Element T, std::invocable<std::span<T>> Function>
  const Tensor& host_write(Function&& function, CallSite site = std::source_location::current()) const;

  /// Takes over one reference; the library's own.
  static Tensor adopt(TensorImplementation* implementation) noexcept {
    Tensor tensor;
    tensor.implementation_ = implementation;
    return tensor;
  }
  /// The library's own.
  TensorImplementation* implementation() const noexcept { return implementation_; }
  /// Hands over this handle's reference; the library's own.
  TensorImplementation* give_up() noexcept { return std::exchange(implementation_, nullptr); }

 private:
  // The count is the implementation's base and lies at its beginning.
  detail::TensorReferences* references() const noexcept {
    return reinterpret_cast<detail::TensorReferences*>(implementation_);
  }
  void retain() const noexcept {
    if (implementation_) references()->count.fetch_add(1, std::memory_order_relaxed);
  }
  void release() noexcept {
    if (implementation_ && references()->count.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(implementation_);
  }
  static void destroy(TensorImplementation* implementation) noexcept;

  enum class SnapshotKind {
    peek,       ///< Read before anything else is done: no copy where the values lie ready.
    copy,       ///< In a storage that nobody else can write.
    take_over,  ///< The same, and this handle is not needed any more.
  };
  /// This tensor's values in host memory, contiguous and waited for.
  Tensor snapshot(DType dtype, SnapshotKind kind, const char* operation, CallSite site) const;
  const std::byte* host_data() const noexcept;
  void submit_host_write(DType dtype, detail::Closure closure, CallSite site) const;
  template <Element T>
  friend class HostSnapshot;

  TensorImplementation* implementation_ = nullptr;
};

/// The values of a tensor in host memory, as they were when `Tensor::host` was called. Owns them; cheap to copy.
template <Element T>
class HostSnapshot {
 public:
  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }
  /// Element i in order, with i < size() (not checked).
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  std::span<const T> span() const noexcept { return {data_, size_}; }
  const Shape& shape() const { return values_.shape(); }

 private:
  friend class Tensor;
  explicit HostSnapshot(Tensor values)
      : values_(std::move(values)),
        data_(reinterpret_cast<const T*>(values_.host_data())),
        size_(static_cast<std::size_t>(values_.numel())) {}

  Tensor values_;
  const T* data_;
  std::size_t size_;
};

template <Element T>
std::vector<T> Tensor::to_vector(CallSite site) const {
  const HostSnapshot<T> values(snapshot(dtype_of<T>(), SnapshotKind::peek, "to_vector", site));
  std::vector<T> result;
  result.reserve(values.size());
  if constexpr (std::is_same_v<T, bool>) {
    result.assign(values.begin(), values.end());
  } else {
    // A vector fills itself on one thread. So its storage is filled before, by several, and it is then told to copy
    // what lies there to where it lies, which costs nothing where memmove looks at its arguments first.
    T* const storage = result.data();
    detail::copy_to_fresh(storage, values.data(), values.size() * sizeof(T));
    result.assign(storage, storage + values.size());
  }
  return result;
}

template <Element T>
HostSnapshot<T> Tensor::host(CallSite site) const& {
  return HostSnapshot<T>(snapshot(dtype_of<T>(), SnapshotKind::copy, "host", site));
}

template <Element T>
HostSnapshot<T> Tensor::host(CallSite site) && {
  return HostSnapshot<T>(snapshot(dtype_of<T>(), SnapshotKind::take_over, "host", site));
}

template <Element T, std::invocable<std::span<T>> Function>
const Tensor& Tensor::host_write(Function&& function, CallSite site) const {
  auto write = [function = std::forward<Function>(function)](detail::HostValues& values) mutable {
    function(std::span<T>(static_cast<T*>(values.data), values.count));
  };
  submit_host_write(dtype_of<T>(), detail::Closure::of<detail::HostValues>(std::move(write)), site);
  return *this;
}

/// The values as PyTorch prints them, with dtype and device where they are not the usual ones; long ones are
/// summarised. Blocks until the values are there.
STRETTO_API std::string to_string(const Tensor& tensor, CallSite site = std::source_location::current());
STRETTO_API std::ostream& operator<<(std::ostream& stream, const Tensor& tensor);

}  // namespace stretto
