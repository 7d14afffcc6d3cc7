#pragma once

#include <cstdint>
#include <optional>
#include <source_location>

#include <stretto/base/call_site.h>
#include <stretto/base/export.h>
#include <stretto/core/device.h>
#include <stretto/core/dtype.h>
#include <stretto/core/shape.h>
#include <stretto/tensor/devices.h>
#include <stretto/tensor/generator.h>
#include <stretto/tensor/operand.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

// New contiguous tensors of random numbers, from the generator given or the thread's own. Each call is one draw: values
// depend on the generator's seed and on how many draws came before, not on the device, the number of workers or when
// the work is done. Each throws DeviceError for a device that is not there, DTypeError for a type it does not take,
// UsageError for bounds in the wrong order. Nothing blocks.

/// Evenly distributed in [0, 1), or [low, high). Floating types.
STRETTO_API Tensor uniform(const Shape& shape, Device device = default_device(), DType dtype = default_dtype,
                           CallSite site = std::source_location::current());
STRETTO_API Tensor uniform(double low, double high, const Shape& shape, Device device = default_device(),
                           DType dtype = default_dtype, CallSite site = std::source_location::current());
STRETTO_API Tensor uniform(Generator& generator, double low, double high, const Shape& shape,
                           Device device = default_device(), DType dtype = default_dtype,
                           CallSite site = std::source_location::current());

/// Normally distributed, with mean 0 and standard deviation 1 unless said. Floating types. UsageError for a negative
/// deviation.
STRETTO_API Tensor normal(const Shape& shape, Device device = default_device(), DType dtype = default_dtype,
                          CallSite site = std::source_location::current());
STRETTO_API Tensor normal(double mean, double deviation, const Shape& shape, Device device = default_device(),
                          DType dtype = default_dtype, CallSite site = std::source_location::current());
STRETTO_API Tensor normal(Generator& generator, double mean, double deviation, const Shape& shape,
                          Device device = default_device(), DType dtype = default_dtype,
                          CallSite site = std::source_location::current());

/// Integers in [low, high), each as likely. Numbers of any type that holds all of them (DTypeError).
STRETTO_API Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape, Device device = default_device(),
                           DType dtype = DType::int64, CallSite site = std::source_location::current());
STRETTO_API Tensor randint(Generator& generator, std::int64_t low, std::int64_t high, const Shape& shape,
                           Device device = default_device(), DType dtype = DType::int64,
                           CallSite site = std::source_location::current());

// Of x's shape and device, and its type unless said. UsageError when x is a number or an undefined tensor.

STRETTO_API Tensor uniform_like(const Operand& x, std::optional<DType> dtype = std::nullopt);
STRETTO_API Tensor normal_like(const Operand& x, std::optional<DType> dtype = std::nullopt);

}  // namespace stretto
