#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <hwy/base.h>
#include <stretto/core/dtype.h>

#include "kernels/rules/integers.h"

namespace stretto {

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
    return rules::clipped<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace stretto
