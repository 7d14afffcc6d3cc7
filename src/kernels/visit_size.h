#pragma once

#include <cstdint>
#include <type_traits>

#include <stretto/core/dtype.h>

namespace stretto {

/// Calls f with a type of the dtype's size: for elements that are only moved.
template <typename F>
void visit_size(DType dtype, F&& f) {
  switch (item_size(dtype)) {
    case 1: return f(std::type_identity<std::uint8_t>{});
    case 2: return f(std::type_identity<std::uint16_t>{});
    case 4: return f(std::type_identity<std::uint32_t>{});
    default: return f(std::type_identity<std::uint64_t>{});
  }
}

}  // namespace stretto
