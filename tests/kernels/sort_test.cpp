#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/dtypes.h"
#include "kernels/number_array.h"
#include "kernels/parameters.h"

namespace stretto {
namespace {

using Values = std::vector<double>;

struct Sorted {
  NumberArray values;
  NumberArray positions;
};

Sorted sorted(std::string_view kernel, NumberArray& input, std::size_t axis, bool descending, std::int64_t count,
              TestLayout layout = TestLayout::contiguous, bool on_threads = false) {
  Extents shape = input.shape();
  shape[axis] = count;
  Sorted result{NumberArray(input.dtype(), shape, layout), NumberArray(DType::int64, shape, layout)};
  const AxisParameters parameters{.axis = static_cast<std::int64_t>(axis), .descending = descending};
  if (on_threads) {
    call_kernel_on_threads(kernel, {&result.values, &result.positions}, {&input}, parameters);
  } else {
    call_kernel(kernel, {&result.values, &result.positions}, {&input}, parameters);
  }
  return result;
}

// The first `count` positions of a line in order: NaN is larger than every number, equal elements keep their order.
std::vector<std::int64_t> order(const Values& line, bool descending, std::int64_t count) {
  std::vector<std::int64_t> positions(line.size());
  for (std::size_t i = 0; i < line.size(); ++i) positions[i] = static_cast<std::int64_t>(i);
  const auto less = [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; };
  std::stable_sort(positions.begin(), positions.end(), [&](std::int64_t a, std::int64_t b) {
    const double left = line[static_cast<std::size_t>(a)], right = line[static_cast<std::size_t>(b)];
    return descending ? less(right, left) : less(left, right);
  });
  positions.resize(static_cast<std::size_t>(count));
  return positions;
}

void check(NumberArray& input, std::size_t axis, const Sorted& result, bool descending, std::int64_t count) {
  std::int64_t inner = 1;
  for (std::size_t i = axis + 1; i < input.shape().size(); ++i) inner *= input.extent(i);
  const std::int64_t extent = input.extent(axis);
  for (std::int64_t outer = 0; outer < input.size() / (inner * extent); ++outer) {
    for (std::int64_t i = 0; i < inner; ++i) {
      Values line;
      for (std::int64_t k = 0; k < extent; ++k) line.push_back(input.get((outer * extent + k) * inner + i));
      const std::vector<std::int64_t> expected = order(line, descending, count);
      for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t position = expected[static_cast<std::size_t>(k)];
        const std::int64_t at = (outer * count + k) * inner + i;
        ASSERT_EQ(result.positions.get(at), static_cast<double>(position))
            << name(input.dtype()) << " axis " << axis << " place " << k;
        const double value = line[static_cast<std::size_t>(position)];
        ASSERT_TRUE(near(result.values.get(at), value, 0)) << result.values.get(at) << " instead of " << value;
      }
    }
  }
}

TEST(Sort, OfEveryTypeAxisLayoutAndDirection) {
  for (const DType dtype : all_types) {
    for (const Extents& shape : {Extents{1}, Extents{50}, Extents{5, 33}, Extents{3, 40, 4}}) {
      NumberArray input = NumberArray(dtype, shape).randomize(1);
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        for (const TestLayout layout : all_layouts) {
          for (const bool descending : {false, true}) {
            NumberArray there = input.in(layout);
            const std::int64_t extent = shape[axis], some = (extent + 1) / 2;
            check(input, axis, sorted("sort", there, axis, descending, extent, layout), descending, extent);
            check(input, axis, sorted("topk", there, axis, descending, some, layout), descending, some);
          }
        }
      }
    }
  }
}

TEST(Sort, LongLinesAreSortedInBlocksAndMerged) {
  NumberArray input(DType::float32, {2, 150000});
  // Many equal elements, so that their order shows.
  for (std::int64_t i = 0; i < input.size(); ++i) input.set(i, static_cast<double>(i * 7919 % 1000));
  for (const bool descending : {false, true}) {
    check(input, 1, sorted("sort", input, 1, descending, 150000), descending, 150000);
    check(input, 1, sorted("sort", input, 1, descending, 150000, TestLayout::contiguous, true), descending, 150000);
  }
}

// Case N3.
TEST(Sort, NaNIsLastUpwardsAndFirstDownwards) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    for (std::int64_t position = 0; position < 17; ++position) {
      NumberArray input = NumberArray(dtype, {17}).randomize(2);
      input.set((position + 5) % 17, infinity);
      input.set((position + 9) % 17, -infinity);
      input.set(position, NAN);
      const Sorted up = sorted("sort", input, 0, false, 17), down = sorted("sort", input, 0, true, 17);
      EXPECT_TRUE(std::isnan(up.values.get(16)));
      EXPECT_TRUE(std::isnan(down.values.get(0)));
      EXPECT_EQ(up.values.get(15), infinity);
      EXPECT_EQ(up.values.get(0), -infinity);
      check(input, 0, up, false, 17);
      check(input, 0, down, true, 17);
      check(input, 0, sorted("topk", input, 0, true, 3), true, 3);
    }
  }
}

TEST(Sort, ZerosOfBothSignsAreEqualAndKept) {
  NumberArray input(DType::float32, {3}, {0.0, -0.0, 0.0});
  for (const bool descending : {false, true}) {
    const Sorted result = sorted("sort", input, 0, descending, 3);
    EXPECT_EQ(result.positions.values(), (Values{0, 1, 2}));
    EXPECT_TRUE(std::signbit(result.values.get(1)));
  }
}

TEST(Sort, LargeIntegersStayExact) {
  NumberArray input(DType::int64, {4});
  const std::int64_t values[] = {INT64_MAX, INT64_MIN, INT64_MAX - 1, 0};
  for (std::int64_t i = 0; i < 4; ++i) input.put(i, values[i]);
  const Sorted result = sorted("sort", input, 0, false, 4);
  EXPECT_EQ(result.positions.values(), (Values{1, 3, 2, 0}));
  EXPECT_EQ(result.values.take<std::int64_t>(2), INT64_MAX - 1);
}

TEST(Sort, InPlaceAndOfNothing) {
  NumberArray x(DType::int32, {3}, {3, 1, 2}), positions(DType::int64, {3});
  call_kernel("sort", {&x, &positions}, {&x}, AxisParameters{.axis = 0, .descending = false});
  EXPECT_EQ(x.values(), (Values{1, 2, 3}));
  EXPECT_EQ(positions.values(), (Values{1, 2, 0}));
  NumberArray empty(DType::float32, {0, 3});
  EXPECT_EQ(sorted("sort", empty, 0, false, 0).values.size(), 0);
  EXPECT_EQ(sorted("topk", empty, 1, false, 2).values.size(), 0);
  NumberArray some = NumberArray(DType::float32, {4}).randomize(3);
  EXPECT_EQ(sorted("topk", some, 0, true, 0).values.size(), 0);
}

}  // namespace
}  // namespace stretto
