#pragma once

#include <cstdint>
#include <optional>
#include <source_location>

#include <stretto/base/call_site.h>
#include <stretto/base/export.h>
#include <stretto/core/device.h>
#include <stretto/core/dtype.h>
#include <stretto/core/scalar.h>
#include <stretto/core/shape.h>
#include <stretto/tensor/devices.h>
#include <stretto/tensor/operand.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

// New contiguous tensors with values by rule. Each throws DeviceError for a device that is not there, ShapeError for a
// shape whose bytes cannot be counted. Nothing blocks.

STRETTO_API Tensor zeros(const Shape& shape, Device device = default_device(), DType dtype = default_dtype,
                         CallSite site = std::source_location::current());
STRETTO_API Tensor ones(const Shape& shape, Device device = default_device(), DType dtype = default_dtype,
                        CallSite site = std::source_location::current());
/// `value` everywhere. The type is that of the value unless said: float32 for floating numbers, int64, bool. DTypeError
/// when the type cannot hold it.
STRETTO_API Tensor full(const Shape& shape, const Scalar& value, Device device = default_device(),
                        std::optional<DType> dtype = std::nullopt, CallSite site = std::source_location::current());

/// 0, 1, ... below `end`. The type is int64 for an integer and float32 for a floating number unless said.
STRETTO_API Tensor arange(const Scalar& end, Device device = default_device(),
                          std::optional<DType> dtype = std::nullopt, CallSite site = std::source_location::current());
/// start, start + step, ... before `end`. UsageError when the step is 0, leads away from `end`, or a bound is not
/// finite; DTypeError for bool.
STRETTO_API Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step = 1,
                          Device device = default_device(), std::optional<DType> dtype = std::nullopt,
                          CallSite site = std::source_location::current());
/// `steps` numbers from `start` to `end`, both included, at even distances. Floating types alone (DTypeError).
/// UsageError for a negative number of steps.
STRETTO_API Tensor linspace(double start, double end, std::int64_t steps, Device device = default_device(),
                            DType dtype = default_dtype, CallSite site = std::source_location::current());
/// Ones on the main diagonal, of shape (rows, rows), and zeros elsewhere.
STRETTO_API Tensor eye(std::int64_t rows, Device device = default_device(), DType dtype = default_dtype,
                       CallSite site = std::source_location::current());
/// The same of shape (rows, columns).
STRETTO_API Tensor eye(std::int64_t rows, std::int64_t columns, Device device = default_device(),
                       DType dtype = default_dtype, CallSite site = std::source_location::current());

// Of the shape, device and, unless said, type of x. UsageError when x is a number or an undefined tensor.

STRETTO_API Tensor empty_like(const Operand& x, std::optional<DType> dtype = std::nullopt);
STRETTO_API Tensor zeros_like(const Operand& x, std::optional<DType> dtype = std::nullopt);
STRETTO_API Tensor ones_like(const Operand& x, std::optional<DType> dtype = std::nullopt);
STRETTO_API Tensor full_like(const Operand& x, const Scalar& value, std::optional<DType> dtype = std::nullopt);

}  // namespace stretto
