#include "kernels/cpu/lines.h"

#include <algorithm>
#include <type_traits>

#include "kernels/cpu/element_types.h"

namespace stretto {

namespace {

constexpr std::int64_t largest_group = 16;
// Elements of a group, so that it stays in a processor's second-level cache.
constexpr std::int64_t group_elements = 65536;

// Calls `move(element, k)` for each element of each line, `k` being its place in a buffer of whole lines.
template <typename T, typename Move>
void for_each_element(T* data, const Dimensions& lines, std::int64_t stride, std::int64_t extent, std::int64_t first,
                      std::int64_t count, Move move) {
  for (std::int64_t begin = 0; begin < count; begin += largest_group) {
    const std::int64_t group = std::min(largest_group, count - begin);
    T* starts[largest_group];
    for (std::int64_t j = 0; j < group; ++j) starts[j] = data + lines.offset(first + begin + j);
    if (stride == 1 || group == 1) {
      for (std::int64_t j = 0; j < group; ++j) {
        for (std::int64_t k = 0; k < extent; ++k) move(starts[j][k * stride], (begin + j) * extent + k);
      }
    } else {
      for (std::int64_t k = 0; k < extent; ++k) {
        for (std::int64_t j = 0; j < group; ++j) move(starts[j][k * stride], (begin + j) * extent + k);
      }
    }
  }
}

}  // namespace

Lines::Lines(const Array& array, std::int64_t axis)
    : array_(array),
      extent_(array.rank == 0 ? 1 : array.shape[axis]),
      stride_(array.rank == 0 ? 1 : array.strides[axis]),
      lines_(lines_along(array, axis)) {}

std::int64_t Lines::group() const {
  if (stride_ == 1 || extent_ == 0) return 1;
  return std::clamp<std::int64_t>(group_elements / extent_, 1, largest_group);
}

template <typename Value>
void Lines::load(std::int64_t first, std::int64_t count, Value* values) const {
  visit_dtype(array_.dtype, [&]<class T>(std::type_identity<T>) {
    for_each_element(array_.as<const T>(), lines_, stride_, extent_, first, count,
                     [&](const T& element, std::int64_t k) { values[k] = convert<Value>(element); });
  });
}

template <typename Value>
void Lines::store(std::int64_t first, std::int64_t count, const Value* values) const {
  visit_dtype(array_.dtype, [&]<class T>(std::type_identity<T>) {
    for_each_element(array_.as<T>(), lines_, stride_, extent_, first, count,
                     [&](T& element, std::int64_t k) { element = convert<T>(values[k]); });
  });
}

template void Lines::load(std::int64_t, std::int64_t, double*) const;
template void Lines::load(std::int64_t, std::int64_t, std::int64_t*) const;
template void Lines::store(std::int64_t, std::int64_t, const double*) const;
template void Lines::store(std::int64_t, std::int64_t, const std::int64_t*) const;

double load_number(const Array& array, std::int64_t offset) {
  return visit_dtype(array.dtype,
                     [&]<class T>(std::type_identity<T>) { return convert<double>(array.as<const T>()[offset]); });
}

void store_number(const Array& array, std::int64_t offset, double value) {
  visit_dtype(array.dtype, [&]<class T>(std::type_identity<T>) { array.as<T>()[offset] = convert<T>(value); });
}

}  // namespace stretto
