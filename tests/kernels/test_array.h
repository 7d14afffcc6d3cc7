#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <stretto/core/dtype.h>
#include <stretto/core/shape.h>

#include "kernels/kernel.h"

namespace stretto {

/// How a TestArray lies in memory.
enum class TestLayout {
  contiguous,
  gaps,        // every third element of a row, rows padded
  backwards,   // every stride negative
  transposed,  // first axis innermost
  twisted,     // transposed, every second element, last axis backwards
};

inline constexpr TestLayout all_layouts[] = {TestLayout::contiguous, TestLayout::gaps, TestLayout::backwards,
                                             TestLayout::transposed, TestLayout::twisted};

/// An array with memory of its own, all of whose bytes are 0xFF (NaN, -1) until written, so that strange writes show.
class TestArray {
 public:
  TestArray(DType dtype, std::vector<std::int64_t> shape, TestLayout layout = TestLayout::contiguous)
      : dtype_(dtype), shape_(std::move(shape)), strides_(shape_.size()) {
    const int rank = static_cast<int>(shape_.size());
    const bool reversed = layout == TestLayout::transposed || layout == TestLayout::twisted;
    std::int64_t step = layout == TestLayout::gaps ? 3 : layout == TestLayout::twisted ? 2 : 1;
    for (int i = 0; i < rank; ++i) {
      const int axis = reversed ? i : rank - 1 - i;
      strides_[axis] = step;
      step *= std::max<std::int64_t>(shape_[axis], 1);
      if (layout == TestLayout::gaps) step += 1;
      if (layout == TestLayout::backwards || (layout == TestLayout::twisted && axis == rank - 1)) {
        origin_ += (std::max<std::int64_t>(shape_[axis], 1) - 1) * strides_[axis];
        strides_[axis] = -strides_[axis];
      }
    }
    bytes_.assign(static_cast<std::size_t>(step + 1) * item_size(dtype), std::byte{0xFF});
    written_.assign(static_cast<std::size_t>(step + 1), false);
    for (std::int64_t i = 0; i < size(); ++i) written_[static_cast<std::size_t>(place(i))] = true;
  }

  /// An array of these values, cast as C++ does.
  template <typename T>
  static TestArray of(const std::vector<T>& values, std::vector<std::int64_t> shape,
                      TestLayout layout = TestLayout::contiguous) {
    TestArray result(dtype_of<T>(), std::move(shape), layout);
    for (std::int64_t i = 0; i < result.size(); ++i) result.set<T>(i, values[static_cast<std::size_t>(i)]);
    return result;
  }

  DType dtype() const { return dtype_; }
  std::int64_t size() const {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape_) count *= extent;
    return count;
  }

  /// What a kernel gets; valid while this lives and is not moved.
  Array array() {
    return {bytes_.data() + origin_ * item_bytes(),   shape_.data(), strides_.data(), dtype_,
            static_cast<std::uint8_t>(shape_.size()), false};
  }
  /// Element 0 as a constant operand.
  Array constant() {
    Array result = array();
    result.constant = true;
    result.shape = nullptr;
    result.strides = nullptr;
    result.rank = 0;
    return result;
  }

  /// The element at a logical (row-major) index.
  template <typename T>
  T get(std::int64_t index) const {
    T value;
    std::memcpy(&value, bytes_.data() + place(index) * item_bytes(), sizeof(T));
    return value;
  }
  template <typename T>
  void set(std::int64_t index, T value) {
    std::memcpy(bytes_.data() + place(index) * item_bytes(), &value, sizeof(T));
  }
  template <typename T>
  std::vector<T> values() const {
    std::vector<T> result;
    for (std::int64_t i = 0; i < size(); ++i) result.push_back(get<T>(i));
    return result;
  }

  /// The bytes of all elements in logical order.
  std::vector<std::byte> contents() const {
    std::vector<std::byte> result(static_cast<std::size_t>(size() * item_bytes()));
    for (std::int64_t i = 0; i < size(); ++i) {
      std::memcpy(result.data() + i * item_bytes(), bytes_.data() + place(i) * item_bytes(), item_size(dtype_));
    }
    return result;
  }

  /// Whether all bytes between the elements are as they were.
  bool gaps_untouched() const {
    for (std::size_t i = 0; i < written_.size(); ++i) {
      for (std::size_t byte = 0; byte < item_size(dtype_) && !written_[i]; ++byte) {
        if (bytes_[i * item_size(dtype_) + byte] != std::byte{0xFF}) return false;
      }
    }
    return true;
  }

 private:
  std::int64_t item_bytes() const { return static_cast<std::int64_t>(item_size(dtype_)); }
  std::int64_t place(std::int64_t index) const {
    std::int64_t result = origin_;
    for (int axis = static_cast<int>(shape_.size()) - 1; axis >= 0; --axis) {
      result += index % shape_[static_cast<std::size_t>(axis)] * strides_[static_cast<std::size_t>(axis)];
      index /= shape_[static_cast<std::size_t>(axis)];
    }
    return result;
  }

  DType dtype_;
  std::vector<std::int64_t> shape_;
  std::vector<std::int64_t> strides_;
  std::int64_t origin_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<bool> written_;
};

}  // namespace stretto
