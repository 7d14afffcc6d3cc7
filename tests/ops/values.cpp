#include "ops/values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>

#include <stretto/tensor/creation.h>

namespace stretto {

std::string to_string(Layout layout) {
  constexpr const char* names[] = {"contiguous", "transposed", "stepped", "flipped", "repeated"};
  return names[static_cast<int>(layout)];
}

namespace {

/// An integer type keeps the low bits, as wrapping arithmetic does.
template <Element T>
T element_of(double number) {
  if constexpr (std::same_as<T, bool>) {
    return number != 0;
  } else if constexpr (std::integral<T>) {
    return static_cast<T>(static_cast<std::int64_t>(number));
  } else {
    return static_cast<T>(number);
  }
}

Tensor store(const std::vector<double>& numbers, const Shape& shape, DType dtype, Device device) {
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    const auto elements = std::make_unique<T[]>(numbers.size());
    std::transform(numbers.begin(), numbers.end(), elements.get(), element_of<T>);
    return from_host(elements.get(), shape, device);
  });
}

/// The position in order of the element at `index`.
std::int64_t position(const Shape& shape, const std::vector<std::int64_t>& index) {
  std::int64_t result = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) result = result * shape[axis] + index[static_cast<std::size_t>(axis)];
  return result;
}

/// Calls `visit` with the index of each element, in order.
template <class Visit>
void for_each_index(const Shape& shape, Visit&& visit) {
  const std::int64_t count = shape.numel();
  std::vector<std::int64_t> index(static_cast<std::size_t>(shape.rank()), 0);
  for (std::int64_t i = 0; i < count; ++i) {
    visit(index, static_cast<std::size_t>(i));
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      std::int64_t& at = index[static_cast<std::size_t>(axis)];
      if (++at < shape[axis]) break;
      at = 0;
    }
  }
}

Tensor make_transposed(const Values& values, DType dtype, Device device) {
  const int rank = values.shape.rank();
  Shape stored = values.shape;
  std::reverse(stored.begin(), stored.end());
  std::vector<double> numbers(values.numbers.size());
  for_each_index(stored, [&](const std::vector<std::int64_t>& index, std::size_t i) {
    numbers[i] = values.numbers[static_cast<std::size_t>(position(values.shape, {index.rbegin(), index.rend()}))];
  });
  IndexList axes;
  for (int axis = rank - 1; axis >= 0; --axis) axes.push_back(axis);
  return store(numbers, stored, dtype, device).permute(axes);
}

Tensor make_stepped(const Values& values, DType dtype, Device device) {
  const double garbage = is_floating(dtype) ? std::numeric_limits<double>::quiet_NaN() : -1;
  Shape stored = values.shape;
  if (stored.rank() == 0) return store({garbage, values.numbers[0], garbage}, {3}, dtype, device)[1];
  const int last = stored.rank() - 1;
  stored[last] = 2 * stored[last] + 1;
  std::vector<double> numbers(static_cast<std::size_t>(stored.numel()), garbage);
  for_each_index(values.shape, [&](std::vector<std::int64_t> index, std::size_t i) {
    index.back() = 2 * index.back() + 1;
    numbers[static_cast<std::size_t>(position(stored, index))] = values.numbers[i];
  });
  return store(numbers, stored, dtype, device).slice(last, 1, std::nullopt, 2);
}

Tensor make_flipped(const Values& values, DType dtype, Device device) {
  std::vector<double> numbers = values.numbers;
  std::reverse(numbers.begin(), numbers.end());
  Tensor tensor = store(numbers, values.shape, dtype, device);
  for (int axis = 0; axis < values.shape.rank(); ++axis) {
    tensor = tensor.slice(axis, std::nullopt, std::nullopt, -1);
  }
  return tensor;
}

std::int64_t row_size(const Values& values) { return values.numel() / std::max<std::int64_t>(values.shape[0], 1); }

Tensor make_repeated(const Values& values, DType dtype, Device device) {
  if (values.shape.rank() == 0 || values.numel() == 0) return store(values.numbers, values.shape, dtype, device);
  Shape row = values.shape;
  row[0] = 1;
  const std::vector<double> numbers(values.numbers.begin(), values.numbers.begin() + row_size(values));
  return store(numbers, row, dtype, device).expand(values.shape);
}

}  // namespace

std::vector<double> rounded(const std::vector<double>& numbers, DType dtype) {
  std::vector<double> result;
  visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    for (const double number : numbers) result.push_back(static_cast<double>(element_of<T>(number)));
  });
  return result;
}

Values repeat_first_row(const Values& values) {
  Values result = values;
  if (values.shape.rank() == 0 || values.numel() == 0) return result;
  const auto size = static_cast<std::size_t>(row_size(values));
  for (std::size_t i = size; i < result.numbers.size(); ++i) result.numbers[i] = result.numbers[i - size];
  return result;
}

Tensor make_tensor(const Values& values, DType dtype, Layout layout, Device device) {
  switch (layout) {
    case Layout::contiguous: break;
    case Layout::transposed: return make_transposed(values, dtype, device);
    case Layout::stepped: return make_stepped(values, dtype, device);
    case Layout::flipped: return make_flipped(values, dtype, device);
    case Layout::repeated: return make_repeated(values, dtype, device);
  }
  return store(values.numbers, values.shape, dtype, device);
}

Values read_values(const Tensor& tensor) {
  Values values{tensor.shape(), {}};
  visit_dtype(tensor.dtype(), [&]<class T>(std::type_identity<T>) {
    for (const T element : tensor.to_vector<T>()) values.numbers.push_back(static_cast<double>(element));
  });
  return values;
}

std::vector<std::byte> read_bytes(const Tensor& tensor) {
  return visit_dtype(tensor.dtype(), [&]<class T>(std::type_identity<T>) {
    const auto snapshot = tensor.host<T>();
    const auto* bytes = reinterpret_cast<const std::byte*>(snapshot.data());
    return std::vector<std::byte>(bytes, bytes + snapshot.size() * sizeof(T));
  });
}

std::vector<double> numbers_between(double low, double high, std::int64_t count, DType dtype, std::uint64_t seed) {
  if (dtype == DType::uint8) low = std::max(low, 0.0), high = std::max(high, low);
  if (dtype == DType::bool_) low = 0, high = 1;
  std::uint64_t state = seed;
  const auto unit = [&state] {  // splitmix64
    std::uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  };
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < count; ++i) {
    double number = low + (high - low) * unit();
    if (i == 1) number = low;
    if (i == 2) number = high;
    numbers.push_back(is_floating(dtype) ? number : std::clamp(std::round(number), std::ceil(low), std::floor(high)));
  }
  return rounded(numbers, dtype);
}

double epsilon(DType dtype) {
  switch (dtype) {
    case DType::float64: return std::numeric_limits<double>::epsilon();
    case DType::float16: return 0x1p-10;
    case DType::bfloat16: return 0x1p-7;
    default: return std::numeric_limits<float>::epsilon();
  }
}

}  // namespace stretto
