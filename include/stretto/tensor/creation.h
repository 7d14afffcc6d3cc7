#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <ranges>
#include <source_location>
#include <span>
#include <vector>

#include <stretto/base/call_site.h>
#include <stretto/base/export.h>
#include <stretto/core/device.h>
#include <stretto/core/dtype.h>
#include <stretto/core/shape.h>
#include <stretto/tensor/devices.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

/// A contiguous tensor whose values are whatever was in the memory. Throws DeviceError for a device that is not there.
STRETTO_API Tensor empty(const Shape& shape, Device device = default_device(), DType dtype = DType::float32,
                         CallSite site = std::source_location::current());

namespace detail {

/// Copies `count` elements for the function called `name`. Throws ShapeError when `shape` holds another number.
STRETTO_API Tensor from_host_memory(const char* name, const void* values, std::size_t count, DType dtype,
                                    const Shape& shape, Device device, CallSite site);
STRETTO_API Tensor borrow_memory(void* values, std::size_t count, DType dtype, const Shape& shape,
                                 std::shared_ptr<const void> owner, Device device, CallSite site);
inline Shape flat_shape(std::size_t count) { return {static_cast<std::int64_t>(count)}; }

}  // namespace detail

/// Elements that lie together in host memory: a span, an array, a vector of anything but bool.
template <class Range>
concept HostElements = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
                       Element<std::remove_cv_t<std::ranges::range_value_t<Range>>>;

/// A tensor of `shape` with the values of `range`, in order, copied at the call: the memory may be changed as soon as
/// it returns. Throws ShapeError when the number of elements is not that of `shape`.
template <HostElements Range>
Tensor from_host(const Range& range, const Shape& shape, Device device = default_device(),
                 CallSite site = std::source_location::current()) {
  return detail::from_host_memory("from_host", std::ranges::data(range), std::ranges::size(range),
                                  dtype_of<std::ranges::range_value_t<Range>>(), shape, device, site);
}
/// The same from a pointer to at least `shape.numel()` elements.
template <Element T>
Tensor from_host(const T* values, const Shape& shape, Device device = default_device(),
                 CallSite site = std::source_location::current()) {
  return detail::from_host_memory("from_host", values, static_cast<std::size_t>(shape.numel()), dtype_of<T>(), shape,
                                  device, site);
}

/// The same from a vector, also of bool; written `from_vector<float>({1, 2, 3}, {3})` where there is none yet.
template <Element T>
Tensor from_vector(const std::vector<T>& values, const Shape& shape, Device device = default_device(),
                   CallSite site = std::source_location::current()) {
  if constexpr (std::same_as<T, bool>) {
    const auto bytes = std::make_unique<bool[]>(values.size());
    std::copy(values.begin(), values.end(), bytes.get());
    return detail::from_host_memory("from_vector", bytes.get(), values.size(), DType::bool_, shape, device, site);
  } else {
    return detail::from_host_memory("from_vector", values.data(), values.size(), dtype_of<T>(), shape, device, site);
  }
}
/// The same with one axis.
template <Element T>
Tensor from_vector(const std::vector<T>& values, Device device = default_device(),
                   CallSite site = std::source_location::current()) {
  return from_vector(values, detail::flat_shape(values.size()), device, site);
}

/// A tensor over memory of the host that is used as it is, never copied: `owner` keeps it until the last task that uses
/// it is done. Nobody else may touch the memory while tasks on the tensor are pending. `device` is a CPU device;
/// DeviceError otherwise. Throws ShapeError when the number of elements is not that of `shape`.
template <Element T>
Tensor borrow(std::span<T> memory, const Shape& shape, std::shared_ptr<const void> owner, Device device = cpu(),
              CallSite site = std::source_location::current()) {
  return detail::borrow_memory(memory.data(), memory.size(), dtype_of<T>(), shape, std::move(owner), device, site);
}

}  // namespace stretto
