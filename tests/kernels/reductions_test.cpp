#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "kernels/dtypes.h"
#include "kernels/number_array.h"
#include "kernels/parameters.h"

namespace stretto {
namespace {

using Axes = std::vector<std::size_t>;
using Values = std::vector<double>;

Extents reduced_shape(Extents shape, const Axes& axes) {
  for (const std::size_t axis : axes) shape[axis] = 1;
  return shape;
}

// The elements that each result is made of, in C order.
std::vector<Values> groups(const NumberArray& input, const Axes& axes) {
  const Extents shape = reduced_shape(input.shape(), axes);
  std::vector<Values> all(static_cast<std::size_t>(NumberArray(DType::uint8, shape).size()));
  for (std::int64_t i = 0; i < input.size(); ++i) {
    std::int64_t rest = i, target = 0, step = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      const std::int64_t at = rest % input.extent(axis);
      rest /= input.extent(axis);
      target += shape[axis] == 1 ? 0 : at * step;
      step *= shape[axis];
    }
    all[static_cast<std::size_t>(target)].push_back(input.get(i));
  }
  return all;
}

struct Case {
  Extents shape;
  Axes axes;
};
const Case cases[] = {
    {{}, {}},
    {{1}, {0}},
    {{17}, {0}},
    {{5000}, {0}},
    {{7, 33}, {1}},
    {{7, 33}, {0}},
    {{1100, 3}, {0}},
    {{3, 2100}, {1}},
    {{1030, 130}, {0}},
    {{6, 9, 11}, {1}},
    {{6, 9, 11}, {0, 2}},
    {{6, 9, 11}, {0, 1, 2}},
    {{6, 1, 11}, {1}},
    {{4, 50, 3, 20}, {1, 2}},
};

double reduction_tolerance(DType dtype) {
  switch (dtype) {
    case DType::float64: return 1e-12;
    case DType::float32: return 2e-5;
    case DType::float16: return 1e-3;
    case DType::bfloat16: return 8e-3;
    default: return 0;
  }
}

// Runs a reduction over all cases and layouts, and expects what `expected` says of each result's elements; all layouts
// and threads have to agree in every bit.
void check(std::string_view kernel, DType dtype, DType output_dtype,
           const std::function<double(const Values&)>& expected, const Parameters& parameters = {}) {
  for (const Case& one : cases) {
    const NumberArray input = NumberArray(dtype, one.shape).randomize(1);
    const std::vector<Values> elements = groups(input, one.axes);
    NumberArray first(output_dtype, reduced_shape(one.shape, one.axes));
    for (const TestLayout layout : all_layouts) {
      NumberArray there = input.in(layout);
      NumberArray result(output_dtype, first.shape(), layout);
      call_kernel(kernel, {&result}, {&there}, parameters);
      ASSERT_TRUE(result.gaps_untouched());
      if (layout == TestLayout::contiguous) {
        first = result;
        for (std::int64_t i = 0; i < result.size(); ++i) {
          const double value = expected(elements[static_cast<std::size_t>(i)]);
          ASSERT_TRUE(near(result.get(i), value, reduction_tolerance(output_dtype)))
              << kernel << " of " << name(dtype) << ", shape " << ::testing::PrintToString(one.shape) << " axes "
              << ::testing::PrintToString(one.axes) << ", result " << i << ": " << result.get(i) << " instead of "
              << value;
        }
      }
      ASSERT_EQ(result.contents(), first.contents())
          << "the layout changes " << kernel << " of " << name(dtype) << ", shape "
          << ::testing::PrintToString(one.shape) << " axes " << ::testing::PrintToString(one.axes);
    }
    NumberArray there = input, result(output_dtype, first.shape());
    call_kernel_on_threads(kernel, {&result}, {&there}, parameters);
    ASSERT_EQ(result.contents(), first.contents()) << "threads change " << kernel << " of " << name(dtype);
  }
}

double sum_of(const Values& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

DType sum_type(DType dtype) { return is_floating(dtype) ? dtype : DType::int64; }

TEST(Reductions, SumOfEveryType) {
  for (const DType dtype : all_types) check("sum", dtype, sum_type(dtype), sum_of);
  check("sum", DType::float32, DType::float64, sum_of);
  check("sum", DType::int32, DType::float32, sum_of);
}

TEST(Reductions, MeanOfEveryType) {
  const auto mean = [](const Values& values) { return sum_of(values) / static_cast<double>(values.size()); };
  for (const DType dtype : floating_types) check("mean", dtype, dtype, mean);
  check("mean", DType::int64, DType::float32, mean);
  check("mean", DType::uint8, DType::float64, mean);
}

TEST(Reductions, MaxAndMinOfEveryType) {
  const auto max = [](const Values& values) { return *std::max_element(values.begin(), values.end()); };
  const auto min = [](const Values& values) { return *std::min_element(values.begin(), values.end()); };
  for (const DType dtype : all_types) {
    check("max", dtype, dtype, max);
    check("min", dtype, dtype, min);
  }
}

TEST(Reductions, AnyAndAllOfEveryType) {
  const auto is_true = [](double value) { return value != 0; };
  const auto any = [&](const Values& values) { return std::any_of(values.begin(), values.end(), is_true); };
  const auto all = [&](const Values& values) { return std::all_of(values.begin(), values.end(), is_true); };
  for (const DType dtype : all_types) {
    check("any", dtype, DType::bool_, any);
    check("all", dtype, DType::bool_, all);
  }
}

TEST(Reductions, ArgmaxAndArgminOfEveryType) {
  const auto argmax = [](const Values& values) {
    return static_cast<double>(std::max_element(values.begin(), values.end()) - values.begin());
  };
  const auto argmin = [](const Values& values) {
    return static_cast<double>(std::min_element(values.begin(), values.end()) - values.begin());
  };
  for (const DType dtype : all_types) {
    check("argmax", dtype, DType::int64, argmax);
    check("argmin", dtype, DType::int64, argmin);
  }
}

TEST(Reductions, VarianceOfEveryFloatingType) {
  for (const double correction : {0.0, 1.0}) {
    const auto variance = [&](const Values& values) {
      const double count = static_cast<double>(values.size());
      const double mean = sum_of(values) / count;
      double squares = 0;
      for (const double value : values) squares += (value - mean) * (value - mean);
      return squares / (count - correction);
    };
    for (const DType dtype : floating_types) check("var", dtype, dtype, variance, VarianceParameters{correction});
  }
}

TEST(Reductions, ProductOfEveryType) {
  // Factors near 1, so that products of many neither overflow nor vanish.
  for (const DType dtype : floating_types) {
    NumberArray input(dtype, {3, 600});
    for (std::int64_t i = 0; i < input.size(); ++i) input.set(i, i % 2 == 0 ? 1.25 : -0.8125);
    for (const TestLayout layout : all_layouts) {
      NumberArray there = input.in(layout), result(dtype, {3, 1}), column(dtype, {1, 600});
      call_kernel("prod", {&result}, {&there});
      call_kernel("prod", {&column}, {&there});
      for (std::int64_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(near(result.get(i) / std::pow(1.25 * 0.8125, 300), 1, 10 * reduction_tolerance(dtype)))
            << name(dtype);
      }
      EXPECT_EQ(column.get(0), 1.953125);
      EXPECT_TRUE(near(column.get(1), -0.536376953125, reduction_tolerance(dtype))) << name(dtype);
    }
  }
  for (const DType dtype : {DType::int32, DType::int64, DType::uint8, DType::bool_}) {
    NumberArray input(dtype, {2, 3}, dtype == DType::bool_ ? Values{1, 1, 1, 1, 0, 1} : Values{2, 3, 5, 7, 0, 1});
    NumberArray rows(DType::int64, {2, 1}), columns(DType::int64, {1, 3});
    call_kernel("prod", {&rows}, {&input});
    call_kernel("prod", {&columns}, {&input});
    EXPECT_EQ(rows.values(), dtype == DType::bool_ ? (Values{1, 0}) : (Values{30, 0}));
    EXPECT_EQ(columns.values(), dtype == DType::bool_ ? (Values{1, 0, 1}) : (Values{14, 0, 5}));
  }
}

TEST(Reductions, IntegersWrap) {
  NumberArray input(DType::int64, {2}), result(DType::int64, {1});
  input.put<std::int64_t>(0, INT64_MAX);
  input.put<std::int64_t>(1, 2);
  call_kernel("sum", {&result}, {&input});
  EXPECT_EQ(result.take<std::int64_t>(0), INT64_MIN + 1);
  call_kernel("prod", {&result}, {&input});
  EXPECT_EQ(result.take<std::int64_t>(0), -2);
}

// Integers beyond what a double holds: neither max nor argmax may go through one.
TEST(Reductions, LargeIntegersStayExact) {
  NumberArray input(DType::int64, {3}), result(DType::int64, {1});
  for (const std::int64_t i : {0, 1, 2}) input.put<std::int64_t>(i, (std::int64_t{1} << 60) + i);
  call_kernel("max", {&result}, {&input});
  EXPECT_EQ(result.take<std::int64_t>(0), (std::int64_t{1} << 60) + 2);
  call_kernel("argmax", {&result}, {&input});
  EXPECT_EQ(result.get(0), 2);
}

TEST(Reductions, OverNothing) {
  NumberArray input(DType::float32, {0, 3}), result(DType::float32, {1, 3}), truth(DType::bool_, {1, 3});
  call_kernel("sum", {&result}, {&input});
  EXPECT_EQ(result.values(), (Values{0, 0, 0}));
  call_kernel("prod", {&result}, {&input});
  EXPECT_EQ(result.values(), (Values{1, 1, 1}));
  call_kernel("any", {&truth}, {&input});
  EXPECT_EQ(truth.values(), (Values{0, 0, 0}));
  call_kernel("all", {&truth}, {&input});
  EXPECT_EQ(truth.values(), (Values{1, 1, 1}));
  call_kernel("mean", {&result}, {&input});
  EXPECT_TRUE(std::isnan(result.get(0)));
  call_kernel("var", {&result}, {&input}, VarianceParameters{1});
  EXPECT_TRUE(std::isnan(result.get(2)));
}

TEST(Reductions, ToNothing) {
  NumberArray input(DType::float32, {0, 3}), result(DType::float32, {0, 1}), position(DType::int64, {0, 1});
  for (const std::string_view kernel : {"sum", "prod", "mean", "max", "min"}) call_kernel(kernel, {&result}, {&input});
  call_kernel("argmax", {&position}, {&input});
  EXPECT_TRUE(result.gaps_untouched());
  EXPECT_TRUE(position.gaps_untouched());
}

TEST(Reductions, VarianceOfOneIsNotANumber) {
  NumberArray input(DType::float32, {1}, {3}), result(DType::float32, {1});
  call_kernel("var", {&result}, {&input}, VarianceParameters{1});
  EXPECT_TRUE(std::isnan(result.get(0)));
  call_kernel("var", {&result}, {&input}, VarianceParameters{0});
  EXPECT_EQ(result.get(0), 0);
}

TEST(Reductions, VarianceFarFromZero) {
  NumberArray input(DType::float32, {10000}), result(DType::float32, {1});
  for (std::int64_t i = 0; i < input.size(); ++i) input.set(i, 4096 + (i % 2 == 0 ? 0.5 : -0.5));
  call_kernel("var", {&result}, {&input}, VarianceParameters{0});
  EXPECT_EQ(result.get(0), 0.25);
}

// Case N3.
TEST(Reductions, NaNWinsAtEveryPosition) {
  for (const DType dtype : floating_types) {
    for (std::int64_t position = 0; position < 17; ++position) {
      NumberArray row = NumberArray(dtype, {17}).randomize(2), result(dtype, {1}), where(DType::int64, {1});
      row.set(position, NAN);
      for (const std::string_view kernel : {"max", "min", "sum", "mean"}) {
        call_kernel(kernel, {&result}, {&row});
        EXPECT_TRUE(std::isnan(result.get(0))) << kernel << " " << name(dtype) << " " << position;
      }
      for (const std::string_view kernel : {"argmax", "argmin"}) {
        call_kernel(kernel, {&where}, {&row});
        EXPECT_EQ(where.get(0), static_cast<double>(position)) << kernel << " " << name(dtype);
      }
      NumberArray columns = NumberArray(dtype, {17, 20}).randomize(3), results(dtype, {1, 20});
      columns.set(position * 20 + 7, NAN);
      call_kernel("max", {&results}, {&columns});
      for (std::int64_t i = 0; i < 20; ++i) EXPECT_EQ(std::isnan(results.get(i)), i == 7);
    }
  }
  NumberArray input(DType::float32, {3}, {1, NAN, 3}), result(DType::float32, {1});
  call_kernel("max", {&result}, {&input});
  EXPECT_TRUE(std::isnan(result.get(0)));
}

TEST(Reductions, PositionIsTheFirstOfEquals) {
  NumberArray input(DType::float32, {4000}), result(DType::int64, {1});
  for (std::int64_t i = 0; i < input.size(); ++i) input.set(i, i >= 2500 ? 5 : -5);
  call_kernel("argmax", {&result}, {&input});
  EXPECT_EQ(result.get(0), 2500);
  call_kernel("argmin", {&result}, {&input});
  EXPECT_EQ(result.get(0), 0);
  input.set(3000, NAN);
  input.set(3500, NAN);
  call_kernel("argmax", {&result}, {&input});
  EXPECT_EQ(result.get(0), 3000);
  NumberArray zeros(DType::float32, {2}, {-0.0, 0.0});
  call_kernel("argmax", {&result}, {&zeros});
  EXPECT_EQ(result.get(0), 0);
}

TEST(Reductions, InfinitiesAreExtremes) {
  const double infinity = std::numeric_limits<double>::infinity();
  NumberArray input(DType::float32, {2, 2}, {-infinity, -infinity, infinity, infinity});
  NumberArray result(DType::float32, {2, 1});
  call_kernel("max", {&result}, {&input});
  EXPECT_EQ(result.values(), (Values{-infinity, infinity}));
  call_kernel("min", {&result}, {&input});
  EXPECT_EQ(result.values(), (Values{-infinity, infinity}));
}

// Case N6, also by rows.
TEST(Reductions, LongSumsOfFloat32AreExact) {
  constexpr std::int64_t count = std::int64_t{1} << 25;
  // One element repeated without memory for the rows, real memory for the case itself.
  const std::vector<float> ones(2 * count, 1.0f);
  const std::int64_t shape[] = {count, 2}, strides[] = {2, 1}, row_shape[] = {1, 2 * count},
                     row_strides[] = {2 * count, 1};
  auto* const data = reinterpret_cast<std::byte*>(const_cast<float*>(ones.data()));
  const Array columns{data, shape, strides, DType::float32, 2};
  const Array row{data, row_shape, row_strides, DType::float32, 2};
  NumberArray sums(DType::float32, {1, 2}), sum(DType::float32, {1, 1});
  ThreadsContext context;
  run_kernel("sum", {sums.array()}, {columns}, context);
  EXPECT_EQ(sums.values(), (Values{33554432, 33554432}));
  run_kernel("mean", {sums.array()}, {columns}, context);
  EXPECT_EQ(sums.values(), (Values{1, 1}));
  run_kernel("sum", {sum.array()}, {row}, context);
  EXPECT_EQ(sum.get(0), 67108864);
}

TEST(Reductions, ReadRepeatedElements) {
  NumberArray one(DType::float32, {1}, {1}), result(DType::float32, {1});
  const std::int64_t shape[] = {100000}, strides[] = {0};
  Array repeated = one.array();
  repeated.shape = shape;
  repeated.strides = strides;
  ReverseContext context;
  run_kernel("sum", {result.array()}, {repeated}, context);
  EXPECT_EQ(result.get(0), 100000);
  EXPECT_GT(context.chunks(), 1);
}

}  // namespace
}  // namespace stretto
