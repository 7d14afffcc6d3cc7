#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <stretto/core/device.h>
#include <stretto/core/dtype.h>
#include <stretto/core/shape.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

/// A tensor as a test sees it: numbers in order, as doubles. Integers beyond 53 bits have tests of their own.
struct Values {
  Shape shape;
  std::vector<double> numbers;

  std::int64_t numel() const { return static_cast<std::int64_t>(numbers.size()); }
};

/// How a tensor of given values lies in its storage.
enum class Layout {
  contiguous,
  transposed,  ///< the axes are stored in reverse order
  stepped,     ///< every second element of a storage, whose others are NaN or -1
  flipped,     ///< every axis runs backwards
  repeated,    ///< the first axis has stride 0
};
inline constexpr Layout all_layouts[] = {Layout::contiguous, Layout::transposed, Layout::stepped, Layout::flipped,
                                         Layout::repeated};
std::string to_string(Layout layout);

/// `numbers` as `dtype`: rounded, cut or wrapped to it, and as doubles again.
std::vector<double> rounded(const std::vector<double>& numbers, DType dtype);

/// The values as repeating along the first axis, whatever they were: what layout `repeated` can hold.
Values repeat_first_row(const Values& values);

/// A view with this layout of a new storage on `device`. For `repeated`, values must repeat along the first axis.
Tensor make_tensor(const Values& values, DType dtype, Layout layout, Device device);

/// All values. Blocks.
Values read_values(const Tensor& tensor);
/// All elements, byte for byte, in order. Blocks.
std::vector<std::byte> read_bytes(const Tensor& tensor);

/// `count` numbers in [low, high], among them both ends, the same for the same seed; whole ones for integers and bool.
std::vector<double> numbers_between(double low, double high, std::int64_t count, DType dtype, std::uint64_t seed);

/// The distance between 1 and the next number of a floating type.
double epsilon(DType dtype);

}  // namespace stretto
