#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/cpu/element_types.h"
#include "kernels/test_array.h"
#include "kernels/test_context.h"

namespace stretto {

using Extents = std::vector<std::int64_t>;

/// A TestArray whose elements are read and written as doubles, whatever its type, by their index in logical C order.
class NumberArray : public TestArray {
 public:
  NumberArray(DType dtype, Extents shape, TestLayout layout = TestLayout::contiguous)
      : TestArray(dtype, shape, layout), shape_(std::move(shape)) {}
  NumberArray(DType dtype, Extents shape, const std::vector<double>& values, TestLayout layout = TestLayout::contiguous)
      : NumberArray(dtype, std::move(shape), layout) {
    for (std::int64_t i = 0; i < size(); ++i) set(i, values[static_cast<std::size_t>(i)]);
  }

  /// The same values in another layout.
  NumberArray in(TestLayout layout) const {
    NumberArray other(dtype(), shape_, layout);
    visit_dtype(dtype(), [&]<class T>(std::type_identity<T>) {
      for (std::int64_t i = 0; i < size(); ++i) other.put(i, take<T>(i));
    });
    return other;
  }

  /// Values between -4 and 4 (for uint8 and bool from 0 on), whole for integers; the same for the same seed.
  NumberArray& randomize(std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    const bool is_signed = dtype() != DType::uint8 && dtype() != DType::bool_;
    for (std::int64_t i = 0; i < size(); ++i) {
      const double unit = static_cast<double>(generator() >> 11) * 0x1p-53;
      const double value = is_signed ? 8 * unit - 4 : dtype() == DType::bool_ ? 2 * unit : 4 * unit;
      set(i, is_floating(dtype()) ? value : std::floor(value));
    }
    return *this;
  }

  const Extents& shape() const { return shape_; }
  std::int64_t extent(std::size_t axis) const { return shape_[axis]; }

  template <class T>
  T take(std::int64_t index) const {
    return TestArray::get<T>(index);
  }
  template <class T>
  void put(std::int64_t index, T value) {
    TestArray::set<T>(index, value);
  }
  double get(std::int64_t index) const {
    return visit_dtype(dtype(), [&]<class T>(std::type_identity<T>) { return convert<double>(take<T>(index)); });
  }
  void set(std::int64_t index, double value) {
    visit_dtype(dtype(), [&]<class T>(std::type_identity<T>) { put(index, convert<T>(value)); });
  }
  std::vector<double> values() const {
    std::vector<double> all;
    for (std::int64_t i = 0; i < size(); ++i) all.push_back(get(i));
    return all;
  }

 private:
  Extents shape_;
};

/// Calls the CPU kernel of that name, its chunks in reverse order on this thread, and returns how many there were.
inline std::int64_t call_kernel(std::string_view name, const std::vector<NumberArray*>& outputs,
                                const std::vector<NumberArray*>& inputs, const Parameters& parameters = {}) {
  ReverseContext context;
  std::vector<Array> written, read;
  for (NumberArray* output : outputs) written.push_back(output->array());
  for (NumberArray* input : inputs) read.push_back(input->array());
  run_kernel(name, written, read, context, parameters);
  return context.chunks();
}

/// The same on several threads.
inline void call_kernel_on_threads(std::string_view name, const std::vector<NumberArray*>& outputs,
                                   const std::vector<NumberArray*>& inputs, const Parameters& parameters = {}) {
  ThreadsContext context;
  std::vector<Array> written, read;
  for (NumberArray* output : outputs) written.push_back(output->array());
  for (NumberArray* input : inputs) read.push_back(input->array());
  run_kernel(name, written, read, context, parameters);
}

/// Whether two values agree within an error relative to the larger of them and 1, or are both NaN or the same infinity.
inline bool near(double a, double b, double error) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  return std::abs(a - b) <= error * std::max({std::abs(a), std::abs(b), 1.0});
}

}  // namespace stretto
