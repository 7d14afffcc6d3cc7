#include <gtest/gtest.h>

#include <cmath>

#include <stretto/base/error.h>

#include "kernels/number_array.h"
#include "kernels/parameters.h"

namespace stretto {
namespace {

constexpr DType number_types[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16,
                                  DType::int32,   DType::int64,   DType::uint8};

double product_tolerance(DType dtype) {
  switch (dtype) {
    case DType::float64: return 1e-13;
    case DType::float32: return 1e-5;
    case DType::float16: return 1e-3;
    case DType::bfloat16: return 1e-2;
    default: return 0;
  }
}

// The product of matrices in double, one term after another: exact for integers here.
std::vector<double> naive(const NumberArray& a, const NumberArray& b) {
  const std::int64_t rows = a.extent(0), depth = a.extent(1), columns = b.extent(1);
  const std::vector<double> left = a.values(), right = b.values();
  std::vector<double> product(static_cast<std::size_t>(rows * columns));
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t k = 0; k < depth; ++k) {
      for (std::int64_t j = 0; j < columns; ++j) {
        product[static_cast<std::size_t>(i * columns + j)] +=
            left[static_cast<std::size_t>(i * depth + k)] * right[static_cast<std::size_t>(k * columns + j)];
      }
    }
  }
  return product;
}

// How far sums of 500 float products, most of them larger than 1, may be off where they cancel.
constexpr double long_sum_error = 5e-4;

// What an integer type keeps of an exact value.
double wrapped(DType dtype, double value) { return dtype == DType::uint8 ? std::fmod(value, 256) : value; }

TEST(Matmul, AgreesWithDoubleForEveryTypeShapeAndLayout) {
  const Extents shapes[] = {{1, 1, 1},     {2, 3, 2},    {8, 5, 48},   {9, 385, 49},
                            {17, 800, 71}, {70, 3, 200}, {3, 1000, 1}, {1, 40, 300}};
  for (const DType dtype : number_types) {
    for (const Extents& shape : shapes) {
      const NumberArray a = NumberArray(dtype, {shape[0], shape[1]}).randomize(1);
      const NumberArray b = NumberArray(dtype, {shape[1], shape[2]}).randomize(2);
      const std::vector<double> expected = naive(a, b);
      std::vector<std::byte> bits;
      for (const TestLayout left : all_layouts) {
        for (const TestLayout right : all_layouts) {
          NumberArray result(dtype, {shape[0], shape[2]}), a_there = a.in(left), b_there = b.in(right);
          call_kernel("matmul", {&result}, {&a_there, &b_there});
          if (bits.empty()) {
            bits = result.contents();
            for (std::int64_t i = 0; i < result.size(); ++i) {
              const double value = wrapped(dtype, expected[static_cast<std::size_t>(i)]);
              ASSERT_TRUE(
                  near(result.get(i), value, product_tolerance(dtype) * std::sqrt(static_cast<double>(shape[1]))))
                  << name(dtype) << " " << shape[0] << "x" << shape[1] << "x" << shape[2] << " element " << i << ": "
                  << result.get(i) << " instead of " << value;
            }
          }
          ASSERT_EQ(result.contents(), bits) << "the layout changes the result of " << name(dtype);
        }
      }
    }
  }
}

TEST(Matmul, IsTheSameWhoeverComputesItsTiles) {
  NumberArray a = NumberArray(DType::float32, {300, 500}).randomize(3);
  NumberArray b = NumberArray(DType::float32, {500, 400}).randomize(4);
  NumberArray reversed(DType::float32, {300, 400}), threaded(DType::float32, {300, 400});
  EXPECT_GT(call_kernel("matmul", {&reversed}, {&a, &b}), 4);
  call_kernel_on_threads("matmul", {&threaded}, {&a, &b});
  EXPECT_EQ(reversed.contents(), threaded.contents());
  const std::vector<double> expected = naive(a, b);
  for (std::int64_t i = 0; i < reversed.size(); ++i) {
    ASSERT_TRUE(near(reversed.get(i), expected[static_cast<std::size_t>(i)], long_sum_error)) << i;
  }
}

TEST(Matmul, OfIntegersAndHalvesIsRightOnManyTiles) {
  for (const DType dtype : {DType::int32, DType::uint8, DType::bfloat16, DType::float64}) {
    NumberArray a = NumberArray(dtype, {210, 400}).randomize(3), b = NumberArray(dtype, {400, 150}).randomize(4);
    NumberArray result(dtype, {210, 150});
    EXPECT_GT(call_kernel("matmul", {&result}, {&a, &b}), 4);
    const std::vector<double> expected = naive(a, b);
    for (std::int64_t i = 0; i < result.size(); ++i) {
      ASSERT_TRUE(
          near(result.get(i), wrapped(dtype, expected[static_cast<std::size_t>(i)]), 20 * product_tolerance(dtype)))
          << name(dtype) << " " << i;
    }
  }
}

TEST(Matmul, CutsAThousandIntoAtLeastSixteenTiles) {
  // Counts chunks without computing them.
  struct Counting final : KernelContext {
    void parallel_for(std::int64_t chunks, FunctionRef<void(std::int64_t)>) override { calls.push_back(chunks); }
    std::vector<std::int64_t> calls;
  } counting;
  NumberArray a(DType::float32, {1024, 1024}), b(DType::float32, {1024, 1024}), c(DType::float32, {1024, 1024});
  run_kernel("matmul", {c.array()}, {a.array(), b.array()}, counting);
  ASSERT_EQ(counting.calls.size(), 2u) << "one round packs, one multiplies";
  EXPECT_GE(counting.calls[1], 16);
}

TEST(Matmul, ComputesBatches) {
  for (const std::int64_t batch : {1, 3, 40}) {
    const NumberArray a = NumberArray(DType::float32, {batch, 2, 30, 20}).randomize(5);
    NumberArray b = NumberArray(DType::float32, {batch, 1, 20, 25}).randomize(6);
    const Extents repeated_shape{batch, 2, 20, 25}, repeated_strides{500, 0, 25, 1};
    Array repeated = b.array();
    repeated.shape = repeated_shape.data();
    repeated.strides = repeated_strides.data();
    for (const TestLayout layout : all_layouts) {
      NumberArray there = a.in(layout), result(DType::float32, {batch, 2, 30, 25});
      ReverseContext context;
      run_kernel("matmul", {result.array()}, {there.array(), repeated}, context);
      for (std::int64_t m = 0; m < batch * 2; ++m) {
        NumberArray left(DType::float32, {30, 20}), right(DType::float32, {20, 25});
        for (std::int64_t i = 0; i < 600; ++i) left.set(i, a.get(m * 600 + i));
        for (std::int64_t i = 0; i < 500; ++i) right.set(i, b.get(m / 2 * 500 + i));
        const std::vector<double> expected = naive(left, right);
        for (std::int64_t i = 0; i < 750; ++i) {
          ASSERT_TRUE(near(result.get(m * 750 + i), expected[static_cast<std::size_t>(i)], 1e-5)) << m << ", " << i;
        }
      }
    }
  }
}

TEST(Matmul, MultipliesABatchByOneMatrix) {
  for (const std::int64_t rows : {1, 7}) {
    const NumberArray a = NumberArray(DType::float64, {5, 2, rows, 11}).randomize(7);
    NumberArray b = NumberArray(DType::float64, {11, 13}).randomize(8);
    const std::vector<double> expected = naive(NumberArray(DType::float64, {10 * rows, 11}, a.values()), b);
    const Extents repeated_shape{5, 2, 11, 13}, repeated_strides{0, 0, 13, 1};
    Array repeated = b.array();
    repeated.shape = repeated_shape.data();
    repeated.strides = repeated_strides.data();
    repeated.rank = 4;
    for (const TestLayout layout : all_layouts) {
      NumberArray there = a.in(layout), result(DType::float64, {5, 2, rows, 13});
      ReverseContext context;
      run_kernel("matmul", {result.array()}, {there.array(), repeated}, context);
      for (std::int64_t i = 0; i < result.size(); ++i) {
        ASSERT_TRUE(near(result.get(i), expected[static_cast<std::size_t>(i)], 1e-13)) << i;
      }
    }
  }
}

// Case N1: memory that nobody wrote is full of NaN.
TEST(Matmul, WithoutTermsIsZero) {
  for (const DType dtype : number_types) {
    NumberArray a(dtype, {3, 2, 0}), b(dtype, {3, 0, 3}), result(dtype, {3, 2, 3});
    call_kernel("matmul", {&result}, {&a, &b});
    EXPECT_EQ(result.values(), std::vector<double>(18, 0.0)) << name(dtype);
  }
  NumberArray a(DType::float32, {100, 0}), b(DType::float32, {0, 300}), result(DType::float32, {100, 300});
  call_kernel("matmul", {&result}, {&a, &b});
  EXPECT_EQ(result.values(), std::vector<double>(30000, 0.0));
}

TEST(Matmul, OfNoElementsWritesNothing) {
  NumberArray a(DType::float32, {3, 0, 0}), b(DType::float32, {3, 0, 0}), result(DType::float32, {3, 0, 0});
  call_kernel("matmul", {&result}, {&a, &b});
  EXPECT_TRUE(result.gaps_untouched());
}

// Case N2.
TEST(Matmul, ReadsColumnMajorFlippedAndTransposedOperands) {
  const NumberArray a(DType::float32, {2, 3}, {1, 2, 3, 4, 5, 6});
  const NumberArray b(DType::float32, {3, 2}, {1, 2, 3, 4, 5, 6});
  for (const TestLayout left : all_layouts) {
    for (const TestLayout right : all_layouts) {
      NumberArray result(DType::float32, {2, 2}), a_there = a.in(left), b_there = b.in(right);
      call_kernel("matmul", {&result}, {&a_there, &b_there});
      EXPECT_EQ(result.values(), (std::vector<double>{22, 28, 49, 64}));
    }
  }
}

TEST(Matmul, KeepsInfinityAndNaN) {
  const double infinity = std::numeric_limits<double>::infinity();
  NumberArray a(DType::float32, {2, 2}, {1, infinity, 0, NAN}), b(DType::float32, {2, 1}, {1, 1});
  NumberArray result(DType::float32, {2, 1});
  call_kernel("matmul", {&result}, {&a, &b});
  EXPECT_EQ(result.get(0), infinity);
  EXPECT_TRUE(std::isnan(result.get(1)));
}

TEST(Matmul, WrapsIntegers) {
  NumberArray a(DType::int64, {1, 2}), b(DType::int64, {2, 1}), result(DType::int64, {1, 1});
  a.put<std::int64_t>(0, INT64_MAX);
  a.put<std::int64_t>(1, 1);
  b.put<std::int64_t>(0, 2);
  b.put<std::int64_t>(1, 5);
  call_kernel("matmul", {&result}, {&a, &b});
  EXPECT_EQ(result.take<std::int64_t>(0), 3);
  NumberArray c(DType::int32, {1, 1}, {65536}), d(DType::int32, {1, 1}, {65537}), small(DType::int32, {1, 1});
  call_kernel("matmul", {&small}, {&c, &d});
  EXPECT_EQ(small.get(0), 65536);
}

TEST(Matmul, RefusesBool) {
  NumberArray a(DType::bool_, {1, 1}, {1}), result(DType::bool_, {1, 1});
  try {
    call_kernel("matmul", {&result}, {&a, &a});
    FAIL() << "no error";
  } catch (const DTypeError& error) {
    EXPECT_STREQ(error.what(), "a matrix product of bool is not defined: convert to an integer type first");
  }
}

TEST(Addmm, CombinesProductAndAddend) {
  for (const DType dtype : number_types) {
    for (const std::int64_t depth : {0, 3, 500}) {
      NumberArray a = NumberArray(dtype, {30, depth}).randomize(9), b = NumberArray(dtype, {depth, 70}).randomize(10);
      NumberArray row = NumberArray(dtype, {70}).randomize(11), result(dtype, {30, 70});
      const Extents repeated_shape{30, 70}, repeated_strides{0, 1};
      Array repeated = row.array();
      repeated.shape = repeated_shape.data();
      repeated.strides = repeated_strides.data();
      repeated.rank = 2;
      ReverseContext context;
      run_kernel("addmm", {result.array()}, {repeated, a.array(), b.array()}, context,
                 AddmmParameters{.alpha = 2, .beta = 3});
      const std::vector<double> product = naive(a, b);
      for (std::int64_t i = 0; i < result.size(); ++i) {
        const double expected = wrapped(dtype, 2 * product[static_cast<std::size_t>(i)] + 3 * row.get(i % 70));
        ASSERT_TRUE(near(result.get(i), expected, 30 * product_tolerance(dtype))) << name(dtype) << " " << i;
      }
    }
  }
}

TEST(Addmm, CombinesOnManyTiles) {
  NumberArray a = NumberArray(DType::float32, {200, 500}).randomize(12);
  NumberArray b = NumberArray(DType::float32, {500, 150}).randomize(13);
  NumberArray c = NumberArray(DType::float32, {200, 150}, TestLayout::transposed).randomize(14);
  NumberArray result(DType::float32, {200, 150});
  EXPECT_GT(call_kernel("addmm", {&result}, {&c, &a, &b}, AddmmParameters{.alpha = -1, .beta = 0.5}), 4);
  const std::vector<double> product = naive(a, b);
  for (std::int64_t i = 0; i < result.size(); ++i) {
    ASSERT_TRUE(near(result.get(i), 0.5 * c.get(i) - product[static_cast<std::size_t>(i)], long_sum_error)) << i;
  }
}

TEST(Addmm, WithBetaZeroIgnoresTheAddend) {
  NumberArray a(DType::float32, {1, 2}, {1, 2}), b(DType::float32, {2, 1}, {3, 4}), c(DType::float32, {1, 1}, {NAN});
  NumberArray result(DType::float32, {1, 1});
  call_kernel("addmm", {&result}, {&c, &a, &b}, AddmmParameters{.alpha = 1, .beta = 0});
  EXPECT_EQ(result.get(0), 11);
  call_kernel("addmm", {&result}, {&c, &a, &b}, AddmmParameters{.alpha = 2, .beta = 0});
  EXPECT_EQ(result.get(0), 22);
}

TEST(Addmm, WritesIntoItsAddend) {
  NumberArray a = NumberArray(DType::float32, {20, 400}).randomize(15);
  NumberArray b = NumberArray(DType::float32, {400, 10}).randomize(16);
  NumberArray c = NumberArray(DType::float32, {20, 10}).randomize(17);
  const std::vector<double> before = c.values(), product = naive(a, b);
  call_kernel("addmm", {&c}, {&c, &a, &b}, AddmmParameters{.alpha = 1, .beta = 1});
  for (std::int64_t i = 0; i < c.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    ASSERT_TRUE(near(c.get(i), before[at] + product[at], long_sum_error)) << i;
  }
}

}  // namespace
}  // namespace stretto
