#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <hwy/base.h>
#include <stretto/core/dtype.h>

namespace stretto {

/// What arithmetic is done in; 16-bit floats are computed in float.
template <class T>
concept Real = std::same_as<T, float> || std::same_as<T, double>;
template <class T>
concept Integer = std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> || std::same_as<T, std::uint8_t>;
template <class T>
concept Number = Real<T> || Integer<T>;
template <class T>
concept Boolean = std::same_as<T, bool>;
template <class T>
concept Half = std::same_as<T, Float16> || std::same_as<T, BFloat16>;

/// Integer arithmetic wraps round, which it does only without a sign.
template <Integer T>
using Unsigned = std::make_unsigned_t<T>;

/// A number as another type, as a C++ conversion gives it, but where that is undefined: a float outside an integer
/// type's range becomes the nearest limit, and a NaN 0. 16-bit floats are rounded once.
template <Element To, Element From>
HWY_INLINE To convert(From x) {
  if constexpr (std::same_as<To, From>) {
    return x;
  } else if constexpr (Half<From>) {
    return convert<To>(static_cast<float>(x));
  } else if constexpr (Boolean<To>) {
    return x != From{0};
  } else if constexpr (Half<To> && Boolean<From>) {
    return To(x ? 1.0f : 0.0f);
  } else if constexpr (Integer<To> && Real<From>) {
    constexpr From low = static_cast<From>(std::numeric_limits<To>::min());
    constexpr From above = From{2} * static_cast<From>(std::numeric_limits<To>::max() / 2 + 1);
    // Only a value in range is converted, also where a compiler converts before it selects.
    const bool in_range = (x > low) & (x < above);
    const To whole = static_cast<To>(in_range ? x : From{0});
    const To limit = x >= above ? std::numeric_limits<To>::max() : x <= low ? std::numeric_limits<To>::min() : To{0};
    return in_range ? whole : limit;
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace stretto
