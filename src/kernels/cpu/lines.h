#pragma once

#include <cstdint>

#include "kernels/cpu/dimensions.h"
#include "kernels/kernel.h"

namespace stretto {

/// The lines of an array along one axis, numbered in C order of the other axes. An array of rank 0 is one line of one
/// element, whatever the axis.
class Lines {
 public:
  Lines(const Array& array, std::int64_t axis);

  std::int64_t count() const { return lines_.count(); }
  /// Elements of each line.
  std::int64_t extent() const { return extent_; }
  /// How many lines should be read or written together: those that share cache lines, if a line does not lie in one
  /// piece.
  std::int64_t group() const;

  /// Copies `count` lines, the first of them `first`, out of the array: line `first + j` begins at `values + j *
  /// extent()`. Value is double or std::int64_t; each element is converted as `convert` does.
  template <typename Value>
  void load(std::int64_t first, std::int64_t count, Value* values) const;
  /// Copies them into the array; doubles are rounded once.
  template <typename Value>
  void store(std::int64_t first, std::int64_t count, const Value* values) const;

 private:
  const Array& array_;
  std::int64_t extent_;
  std::int64_t stride_;
  Dimensions lines_;
};

/// One element of an array, `offset` elements from its data; as doubles, rounded once.
double load_number(const Array& array, std::int64_t offset);
void store_number(const Array& array, std::int64_t offset, double value);

}  // namespace stretto
