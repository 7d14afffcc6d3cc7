#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include <stretto/base/error.h>

#include "kernels/dtypes.h"
#include "kernels/number_array.h"
#include "kernels/parameters.h"

namespace stretto {
namespace {

using Line = std::vector<double>;

// Half a unit in the last place, and for float64 a little more.
double softmax_tolerance(DType dtype) {
  switch (dtype) {
    case DType::float64: return 1e-14;
    case DType::float32: return 0x1p-24 * 1.1;
    case DType::float16: return 0x1p-11 * 1.01;
    default: return 0x1p-8 * 1.01;
  }
}

Line softmax(const Line& x) {
  long double sum = 0;
  for (const double value : x) sum += std::exp(static_cast<long double>(value));
  Line y;
  for (const double value : x) y.push_back(static_cast<double>(std::exp(static_cast<long double>(value)) / sum));
  return y;
}

Line log_softmax(const Line& x) {
  long double sum = 0;
  for (const double value : x) sum += std::exp(static_cast<long double>(value));
  Line y;
  for (const double value : x) y.push_back(static_cast<double>(value - std::log(sum)));
  return y;
}

Line softmax_backward(const Line& gradient, const Line& y) {
  double dot = 0;
  for (std::size_t i = 0; i < y.size(); ++i) dot += gradient[i] * y[i];
  Line result;
  for (std::size_t i = 0; i < y.size(); ++i) result.push_back(y[i] * (gradient[i] - dot));
  return result;
}

Line log_softmax_backward(const Line& gradient, const Line& y) {
  double sum = 0;
  for (const double value : gradient) sum += value;
  Line result;
  for (std::size_t i = 0; i < y.size(); ++i) result.push_back(gradient[i] - std::exp(y[i]) * sum);
  return result;
}

// The indices of the lines of a shape along an axis.
std::vector<std::vector<std::int64_t>> lines(const Extents& shape, std::size_t axis) {
  std::int64_t inner = 1, outer = 1;
  for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  for (std::size_t i = 0; i < axis; ++i) outer *= shape[i];
  std::vector<std::vector<std::int64_t>> all;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i) {
      all.emplace_back();
      for (std::int64_t k = 0; k < shape[axis]; ++k) all.back().push_back((o * shape[axis] + k) * inner + i);
    }
  }
  return all;
}

Line take(const NumberArray& array, const std::vector<std::int64_t>& indices) {
  Line line;
  for (const std::int64_t index : indices) line.push_back(array.get(index));
  return line;
}

const Extents shapes[] = {{1}, {17}, {5, 33}, {3, 40, 2}, {100, 200}};

// Checks a kernel of one or two inputs on every dtype, axis and layout; layouts and threads have to agree in every bit.
void check(std::string_view kernel, int inputs, const std::function<Line(const std::vector<Line>&)>& expected) {
  for (const DType dtype : floating_types) {
    for (const Extents& shape : shapes) {
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const AxisParameters parameters{.axis = static_cast<std::int64_t>(axis), .descending = false};
        const NumberArray a = NumberArray(dtype, shape).randomize(1), b = NumberArray(dtype, shape).randomize(2);
        std::vector<std::byte> bits;
        for (const TestLayout layout : all_layouts) {
          NumberArray a_there = a.in(layout), b_there = b.in(layout), result(dtype, shape, layout);
          const std::vector<NumberArray*> read = inputs == 1 ? std::vector{&a_there} : std::vector{&a_there, &b_there};
          if (layout == TestLayout::twisted) {
            call_kernel_on_threads(kernel, {&result}, read, parameters);
          } else {
            call_kernel(kernel, {&result}, read, parameters);
          }
          if (bits.empty()) {
            bits = result.contents();
            for (const auto& line : lines(shape, axis)) {
              const Line values = expected({take(a, line), take(b, line)});
              for (std::size_t i = 0; i < line.size(); ++i) {
                // Backwards, terms of up to a few hundred cancel, which float64 itself shows.
                const double error = softmax_tolerance(dtype) * (inputs == 1 ? 1 : dtype == DType::float64 ? 100 : 1.5);
                ASSERT_TRUE(near(result.get(line[i]), values[i], error))
                    << kernel << " of " << name(dtype) << " axis " << axis << ": " << result.get(line[i])
                    << " instead of " << values[i];
              }
            }
          }
          ASSERT_EQ(result.contents(), bits) << "the layout changes " << kernel << " of " << name(dtype);
          ASSERT_TRUE(result.gaps_untouched());
        }
      }
    }
  }
}

TEST(Softmax, OfEveryTypeAxisAndLayout) {
  check("softmax", 1, [](const std::vector<Line>& in) { return softmax(in[0]); });
}

TEST(Softmax, Logarithm) {
  check("log_softmax", 1, [](const std::vector<Line>& in) { return log_softmax(in[0]); });
}

TEST(Softmax, Backward) {
  check("softmax_backward", 2, [](const std::vector<Line>& in) { return softmax_backward(in[0], in[1]); });
}

TEST(Softmax, LogarithmBackward) {
  check("log_softmax_backward", 2, [](const std::vector<Line>& in) { return log_softmax_backward(in[0], in[1]); });
}

TEST(Softmax, OfLargeNumbersDoesNotOverflow) {
  for (const DType dtype : {DType::float32, DType::float64}) {
    NumberArray x(dtype, {3}, {1e30, 1e30, -1e30}), y(dtype, {3});
    call_kernel("softmax", {&y}, {&x}, AxisParameters{.axis = 0, .descending = false});
    EXPECT_EQ(y.values(), (Line{0.5, 0.5, 0}));
    call_kernel("log_softmax", {&y}, {&x}, AxisParameters{.axis = 0, .descending = false});
    EXPECT_TRUE(near(y.get(0), -std::log(2), 1e-7));
  }
}

// Case N3.
TEST(Softmax, NaNAtEveryPositionSpoilsItsLineOnly) {
  for (std::int64_t position = 0; position < 17; ++position) {
    NumberArray x = NumberArray(DType::float32, {2, 17}).randomize(3), y(DType::float32, {2, 17});
    x.set(position, NAN);
    for (const std::string_view kernel : {"softmax", "log_softmax"}) {
      call_kernel(kernel, {&y}, {&x}, AxisParameters{.axis = 1, .descending = false});
      for (std::int64_t i = 0; i < 34; ++i) EXPECT_EQ(std::isnan(y.get(i)), i < 17) << kernel << " " << position;
    }
  }
}

TEST(Softmax, OfNothing) {
  NumberArray x(DType::float32, {3, 0}), y(DType::float32, {3, 0});
  call_kernel("softmax", {&y}, {&x}, AxisParameters{.axis = 1, .descending = false});
  call_kernel("log_softmax", {&y}, {&x}, AxisParameters{.axis = 0, .descending = false});
  EXPECT_TRUE(y.gaps_untouched());
}

TEST(Softmax, OfAScalarIsOne) {
  NumberArray x(DType::float32, {}, {5}), y(DType::float32, {});
  call_kernel("softmax", {&y}, {&x}, AxisParameters{.axis = 0, .descending = false});
  EXPECT_EQ(y.get(0), 1);
}

TEST(Softmax, InPlace) {
  NumberArray x(DType::float32, {2, 2}, {0, 0, 1, 1});
  call_kernel("softmax", {&x}, {&x}, AxisParameters{.axis = 1, .descending = false});
  EXPECT_EQ(x.values(), (Line{0.5, 0.5, 0.5, 0.5}));
}

NumberArray labels_of(const std::vector<std::int64_t>& values, TestLayout layout = TestLayout::contiguous) {
  NumberArray labels(DType::int64, {static_cast<std::int64_t>(values.size())}, layout);
  for (std::size_t i = 0; i < values.size(); ++i) labels.put(static_cast<std::int64_t>(i), values[i]);
  return labels;
}

TEST(CrossEntropy, LossAndGradientOfEveryTypeAndLayout) {
  for (const DType dtype : floating_types) {
    for (const std::int64_t rows : {1, 7, 3000}) {
      const std::int64_t classes = 10;
      const NumberArray logits = NumberArray(dtype, {rows, classes}).randomize(4);
      const NumberArray above = NumberArray(dtype, {rows}).randomize(5);
      std::vector<std::int64_t> values;
      for (std::int64_t i = 0; i < rows; ++i) values.push_back(i * 7 % classes);
      std::vector<std::byte> loss_bits, gradient_bits;
      for (const TestLayout layout : all_layouts) {
        NumberArray logits_there = logits.in(layout), above_there = above.in(layout),
                    labels = labels_of(values, layout);
        NumberArray losses(dtype, {rows}, layout), gradients(dtype, {rows, classes}, layout);
        call_kernel("cross_entropy", {&losses}, {&logits_there, &labels});
        call_kernel_on_threads("cross_entropy_backward", {&gradients}, {&logits_there, &labels, &above_there});
        if (loss_bits.empty()) {
          loss_bits = losses.contents();
          gradient_bits = gradients.contents();
          for (std::int64_t row = 0; row < rows; ++row) {
            Line x;
            for (std::int64_t i = 0; i < classes; ++i) x.push_back(logits.get(row * classes + i));
            const std::int64_t label = values[static_cast<std::size_t>(row)];
            ASSERT_TRUE(
                near(losses.get(row), -log_softmax(x)[static_cast<std::size_t>(label)], softmax_tolerance(dtype)));
            const Line y = softmax(x);
            for (std::int64_t i = 0; i < classes; ++i) {
              const double expected = above.get(row) * (y[static_cast<std::size_t>(i)] - (i == label));
              ASSERT_TRUE(near(gradients.get(row * classes + i), expected, softmax_tolerance(dtype)));
            }
          }
        }
        ASSERT_EQ(losses.contents(), loss_bits);
        ASSERT_EQ(gradients.contents(), gradient_bits);
      }
    }
  }
}

TEST(CrossEntropy, OfNoRows) {
  NumberArray logits(DType::float32, {0, 10}), labels(DType::int64, {0}), losses(DType::float32, {0});
  call_kernel("cross_entropy", {&losses}, {&logits, &labels});
  EXPECT_TRUE(losses.gaps_untouched());
}

TEST(CrossEntropy, OfAnImpossibleClassIsInfinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  NumberArray logits(DType::float32, {1, 2}, {0, -infinity}), labels = labels_of({1}), losses(DType::float32, {1});
  call_kernel("cross_entropy", {&losses}, {&logits, &labels});
  EXPECT_EQ(losses.get(0), infinity);
}

void expect_label_error(std::string_view kernel, const std::vector<std::int64_t>& values, const char* message) {
  const auto rows = static_cast<std::int64_t>(values.size());
  NumberArray logits = NumberArray(DType::float32, {rows, 10}).randomize(6), labels = labels_of(values);
  NumberArray above(DType::float32, {rows}, Line(values.size(), 1.0));
  NumberArray output(DType::float32, kernel == "cross_entropy" ? Extents{rows} : Extents{rows, 10});
  const std::vector<std::byte> before = output.contents();
  try {
    call_kernel(kernel, {&output}, {&logits, &labels, &above});
    FAIL() << "no error";
  } catch (const IndexError& error) {
    EXPECT_STREQ(error.what(), message);
  }
  EXPECT_EQ(output.contents(), before) << "something was written";
}

TEST(CrossEntropy, NamesTheFirstLabelOutOfRange) {
  for (const std::string_view kernel : {"cross_entropy", "cross_entropy_backward"}) {
    expect_label_error(kernel, {3, 12, 0, 99}, "label 12 of row 1 is out of range for 10 classes");
    expect_label_error(kernel, {-1}, "label -1 of row 0 is out of range for 10 classes");
    expect_label_error(kernel, {0, 10}, "label 10 of row 1 is out of range for 10 classes");
  }
}

}  // namespace
}  // namespace stretto
