#include <gtest/gtest.h>

#include <cmath>

#include "kernels/dtypes.h"
#include "kernels/number_array.h"
#include "kernels/parameters.h"

namespace stretto {
namespace {

using Values = std::vector<double>;

AxisParameters scan_of(std::int64_t axis) { return {.axis = axis, .descending = false}; }

// The running sums or products in float64 along an axis of a shape of three axes.
Values scanned(const NumberArray& input, std::size_t axis, bool product) {
  std::int64_t inner = 1;
  for (std::size_t i = axis + 1; i < input.shape().size(); ++i) inner *= input.extent(i);
  Values totals = input.values();
  for (std::int64_t i = 0; i < input.size(); ++i) {
    if (i / inner % input.extent(axis) == 0) continue;
    double& total = totals[static_cast<std::size_t>(i)];
    const double before = totals[static_cast<std::size_t>(i - inner)];
    total = product ? before * total : before + total;
  }
  return totals;
}

TEST(Scans, OfEveryTypeAxisAndLayout) {
  for (const DType dtype : all_types) {
    const DType output_dtype = is_floating(dtype) ? dtype : DType::int64;
    for (const Extents& shape : {Extents{1}, Extents{40}, Extents{3, 50}, Extents{4, 5, 6}, Extents{300, 70}}) {
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        for (const bool product : {false, true}) {
          NumberArray input = NumberArray(dtype, shape).randomize(1);
          // Products of numbers near 1, of either sign.
          for (std::int64_t i = 0; i < input.size() && product; ++i) input.set(i, i % 3 == 0 ? -1 : 1);
          const Values expected = scanned(input, axis, product);
          for (const TestLayout layout : all_layouts) {
            NumberArray there = input.in(layout), result(output_dtype, shape, layout);
            const AxisParameters parameters = scan_of(static_cast<std::int64_t>(axis));
            if (layout == TestLayout::gaps) {
              call_kernel_on_threads(product ? "cumprod" : "cumsum", {&result}, {&there}, parameters);
            } else {
              call_kernel(product ? "cumprod" : "cumsum", {&result}, {&there}, parameters);
            }
            for (std::int64_t i = 0; i < result.size(); ++i) {
              NumberArray rounded(output_dtype, {1});
              rounded.set(0, expected[static_cast<std::size_t>(i)]);
              ASSERT_EQ(result.get(i), rounded.get(0)) << name(dtype) << " axis " << axis << " element " << i;
            }
            ASSERT_TRUE(result.gaps_untouched());
          }
        }
      }
    }
  }
}

TEST(Scans, IntegersWrap) {
  NumberArray input(DType::int64, {2}), result(DType::int64, {2});
  input.put<std::int64_t>(0, INT64_MAX);
  input.put<std::int64_t>(1, 2);
  call_kernel("cumsum", {&result}, {&input}, scan_of(0));
  EXPECT_EQ(result.take<std::int64_t>(1), INT64_MIN + 1);
  call_kernel("cumprod", {&result}, {&input}, scan_of(0));
  EXPECT_EQ(result.take<std::int64_t>(1), -2);
}

TEST(Scans, NaNGoesOn) {
  NumberArray input(DType::float32, {3}, {1, NAN, 2}), result(DType::float32, {3});
  call_kernel("cumsum", {&result}, {&input}, scan_of(0));
  EXPECT_EQ(result.get(0), 1);
  EXPECT_TRUE(std::isnan(result.get(1)) && std::isnan(result.get(2)));
}

TEST(Scans, LongFloat32SumsLoseNothing) {
  // 2^24 + 1 is no float32: a float32 total would stay where it is.
  NumberArray input(DType::float32, {5}, {16777216, 1, 1, 1, 1}), result(DType::float32, {5});
  call_kernel("cumsum", {&result}, {&input}, scan_of(0));
  EXPECT_EQ(result.get(4), 16777220);
}

TEST(Scans, InPlaceAndOfNothing) {
  NumberArray x(DType::float32, {2, 2}, {1, 2, 3, 4});
  call_kernel("cumsum", {&x}, {&x}, scan_of(0));
  EXPECT_EQ(x.values(), (Values{1, 2, 4, 6}));
  NumberArray empty(DType::float32, {0, 3}), result(DType::float32, {0, 3});
  call_kernel("cumsum", {&result}, {&empty}, scan_of(0));
  call_kernel("cumsum", {&result}, {&empty}, scan_of(1));
  EXPECT_TRUE(result.gaps_untouched());
}

}  // namespace
}  // namespace stretto
