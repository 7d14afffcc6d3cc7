#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <stretto/base/export.h>
#include <stretto/core/half.h>

namespace stretto {

/// The type of a tensor's elements.
enum class DType : std::uint8_t { float32, float64, float16, bfloat16, int32, int64, uint8, bool_ };

/// The floating type that integers become where an operation or a scalar asks for one.
inline constexpr DType default_dtype = DType::float32;

/// Bytes of one element.
constexpr std::size_t item_size(DType dtype) {
  constexpr std::uint8_t sizes[] = {4, 8, 2, 2, 4, 8, 1, 1};
  return sizes[static_cast<std::size_t>(dtype)];
}

constexpr bool is_floating(DType dtype) { return dtype <= DType::bfloat16; }

/// Whether it is an integer type; bool is not one.
constexpr bool is_integral(DType dtype) { return dtype >= DType::int32 && dtype <= DType::uint8; }

/// "float32", "bool": the name NumPy and PyTorch give it. Lives as long as the program.
STRETTO_API std::string_view name(DType dtype);

/// The type with this name. Throws DTypeError, listing the names there are.
STRETTO_API DType parse_dtype(std::string_view text);

namespace detail {

template <class T, class... Others>
concept one_of = (std::same_as<T, Others> || ...);

}  // namespace detail

/// A C++ type that a tensor's elements can be read as.
template <class T>
concept Element = detail::one_of<T, float, double, Float16, BFloat16, std::int32_t, std::int64_t, std::uint8_t, bool>;

/// The DType of a C++ type.
template <Element T>
constexpr DType dtype_of() {
  if constexpr (std::same_as<T, float>) return DType::float32;
  if constexpr (std::same_as<T, double>) return DType::float64;
  if constexpr (std::same_as<T, Float16>) return DType::float16;
  if constexpr (std::same_as<T, BFloat16>) return DType::bfloat16;
  if constexpr (std::same_as<T, std::int32_t>) return DType::int32;
  if constexpr (std::same_as<T, std::int64_t>) return DType::int64;
  if constexpr (std::same_as<T, std::uint8_t>) return DType::uint8;
  if constexpr (std::same_as<T, bool>) return DType::bool_;
}

/// Calls `f(std::type_identity<T>{})` with the C++ type T of `dtype`, and returns what it returns:
///
///     visit_dtype(x.dtype(), [&]<class T>(std::type_identity<T>) { fill<T>(...); });
template <class F>
constexpr decltype(auto) visit_dtype(DType dtype, F&& f) {
  switch (dtype) {
    case DType::float32: return std::forward<F>(f)(std::type_identity<float>{});
    case DType::float64: return std::forward<F>(f)(std::type_identity<double>{});
    case DType::float16: return std::forward<F>(f)(std::type_identity<Float16>{});
    case DType::bfloat16: return std::forward<F>(f)(std::type_identity<BFloat16>{});
    case DType::int32: return std::forward<F>(f)(std::type_identity<std::int32_t>{});
    case DType::int64: return std::forward<F>(f)(std::type_identity<std::int64_t>{});
    case DType::uint8: return std::forward<F>(f)(std::type_identity<std::uint8_t>{});
    case DType::bool_: return std::forward<F>(f)(std::type_identity<bool>{});
  }
  __builtin_unreachable();
}

}  // namespace stretto
