#pragma once

#include <cstdint>
#include <string>

#include <stretto/base/error.h>

#include "kernels/kernel.h"

namespace stretto::rules {

constexpr bool is_outside(std::int64_t index, std::int64_t extent) { return index < 0 || index >= extent; }

// How failures say it.

inline std::string place_of_axis(const Array& indexed, std::int64_t axis) {
  return "axis " + std::to_string(axis) + " with extent " + std::to_string(indexed.shape[axis]);
}
inline std::string place_of_classes(std::int64_t classes) { return std::to_string(classes) + " classes"; }

inline IndexError index_out_of_range(std::int64_t index, const std::string& place) {
  return IndexError("index " + std::to_string(index) + " is out of range for " + place);
}
inline IndexError label_out_of_range(std::int64_t label, std::int64_t row, std::int64_t classes) {
  return IndexError("label " + std::to_string(label) + " of row " + std::to_string(row) + " is out of range for " +
                    place_of_classes(classes));
}
inline UsageError division_by_zero() { return UsageError("integer division by zero"); }
inline UsageError negative_exponent() {
  return UsageError("an integer cannot be raised to a negative power: convert to a floating dtype first");
}

}  // namespace stretto::rules
