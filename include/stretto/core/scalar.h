#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include <stretto/base/call_site.h>
#include <stretto/base/export.h>
#include <stretto/core/dtype.h>

namespace stretto {

namespace detail {
/// An integer type with values that 64 bits with a sign do not hold.
template <class T>
inline constexpr bool beyond_int64 =
    std::is_integral_v<T> && std::is_unsigned_v<T> && sizeof(T) >= sizeof(std::int64_t);
}  // namespace detail

/// A single number written in the program: a bool, an integer (kept in 64 bits) or a floating number (kept as a
/// double). A cheap value, made implicitly from C++ numbers. In type promotion only its kind counts, not its width.
class STRETTO_API Scalar {
 public:
  template <class T>
    requires(std::is_arithmetic_v<T> || detail::one_of<T, Float16, BFloat16>) && (!detail::beyond_int64<T>)
  constexpr Scalar(T value) {
    if constexpr (std::same_as<T, bool>) {
      dtype_ = DType::bool_;
      integer_ = value;
    } else if constexpr (std::integral<T>) {
      dtype_ = DType::int64;
      integer_ = value;
    } else {
      dtype_ = DType::float64;
      real_ = static_cast<double>(value);
    }
  }

  /// Throws DTypeError, with the line, for an unsigned integer beyond 63 bits.
  template <class T>
    requires detail::beyond_int64<T>
  constexpr Scalar(T value, CallSite site = std::source_location::current()) : dtype_(DType::int64) {
    if (!std::in_range<std::int64_t>(value)) throw_unrepresentable(std::to_string(value), DType::int64, site);
    integer_ = static_cast<std::int64_t>(value);
  }

  /// Its kind: bool, int64 or float64.
  constexpr DType dtype() const { return dtype_; }

  /// The value as a T. Throws DTypeError when T is an integer type that cannot hold it (a fraction is dropped, towards
  /// zero); a floating T takes any number, rounded, and too large ones become infinite.
  template <Element T>
  constexpr T to() const {
    const bool is_real = dtype_ == DType::float64;
    if constexpr (std::same_as<T, bool>) {
      return is_real ? real_ != 0.0 : integer_ != 0;
    } else if constexpr (std::integral<T>) {
      // The limits as doubles are exact: the lowest value, and one above the highest.
      constexpr double low = static_cast<double>(std::numeric_limits<T>::min());
      constexpr double high = 2.0 * static_cast<double>(T{1} << (std::numeric_limits<T>::digits - 1));
      const double whole = is_real ? std::trunc(real_) : 0.0;
      const bool fits = is_real ? whole >= low && whole < high : std::in_range<T>(integer_);
      if (!fits) throw_unrepresentable(to_string(*this), dtype_of<T>());
      return is_real ? static_cast<T>(whole) : static_cast<T>(integer_);
    } else {
      return is_real ? static_cast<T>(real_) : static_cast<T>(integer_);
    }
  }

  /// "true", "3", "0.5".
  friend std::string to_string(const Scalar& scalar);

 private:
  [[noreturn]] static void throw_unrepresentable(const std::string& value, DType dtype, const CallSite& site = {});

  DType dtype_;
  union {
    std::int64_t integer_;
    double real_;
  };
};

STRETTO_API std::string to_string(const Scalar& scalar);

}  // namespace stretto
