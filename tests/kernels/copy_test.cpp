#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/test_array.h"
#include "kernels/test_context.h"

namespace stretto {
namespace {

template <typename From, typename To>
std::vector<To> cast(const std::vector<From>& values, TestLayout from = TestLayout::contiguous,
                     TestLayout to = TestLayout::contiguous) {
  const std::int64_t count = static_cast<std::int64_t>(values.size());
  TestArray x = TestArray::of<From>(values, {count}, from);
  TestArray y(dtype_of<To>(), {count}, to);
  ReverseContext context;
  run_kernel("copy", {y.array()}, {x.array()}, context);
  EXPECT_TRUE(y.gaps_untouched());
  return y.template values<To>();
}

template <typename T>
std::vector<T> samples() {
  std::vector<T> values;
  std::mt19937_64 random(5);
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t bits = random();
    T value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
    if constexpr (std::is_same_v<T, bool>) {
      value = bits % 2 == 0;
    } else if (i % 2 == 0) {
      value = static_cast<T>(static_cast<double>(static_cast<std::int64_t>(bits % 2001) - 1000) /
                             (std::is_integral_v<T> ? 1 : 8));
    }
    values.push_back(value);
  }
  return values;
}

/// What the documentation promises of a cast.
template <typename To, typename From>
To definition(From x) {
  constexpr bool from_float = !std::is_integral_v<From>;
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (std::is_same_v<To, bool>) {
    return static_cast<double>(x) != 0;
  } else if constexpr (std::is_integral_v<To> && from_float) {
    const long double value = std::trunc(static_cast<long double>(x));
    if (std::isnan(value)) return 0;
    if (value >= static_cast<long double>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    if (value <= static_cast<long double>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    return static_cast<To>(value);
  } else if constexpr (sizeof(From) == 2) {
    return static_cast<To>(static_cast<float>(x));
  } else {
    return static_cast<To>(x);
  }
}

template <typename T>
bool same_bits_or_nan(T a, T b) {
  if constexpr (!std::is_integral_v<T>) {
    if (std::isnan(static_cast<double>(a))) return std::isnan(static_cast<double>(b));
  }
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <typename Body>
void for_each_pair(Body body) {
  for (int from = 0; from < 8; ++from) {
    for (int to = 0; to < 8; ++to) {
      visit_dtype(static_cast<DType>(from), [&]<class From>(std::type_identity<From> source) {
        visit_dtype(static_cast<DType>(to), [&]<class To>(std::type_identity<To> target) { body(source, target); });
      });
    }
  }
}

TEST(Copy, CastsEveryTypeToEveryType) {
  for_each_pair([]<class From, class To>(std::type_identity<From>, std::type_identity<To>) {
    const auto values = samples<From>();
    const auto result = cast<From, To>(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_TRUE(same_bits_or_nan(definition<To>(values[i]), result[i]))
          << name(dtype_of<From>()) << " " << static_cast<double>(values[i]) << " to " << name(dtype_of<To>()) << ": "
          << static_cast<double>(result[i]);
    }
  });
}

TEST(Copy, SaturatesFloatsThatNoIntegerHolds) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  using Int32 = std::numeric_limits<std::int32_t>;
  using Int64 = std::numeric_limits<std::int64_t>;
  EXPECT_EQ((cast<double, std::int32_t>(
                {2147483647.5, 2147483648.0, -2147483648.9, -2147483649.0, infinity, -infinity, NAN, -0.9, 1.9})),
            (std::vector<std::int32_t>{Int32::max(), Int32::max(), Int32::min(), Int32::min(), Int32::max(),
                                       Int32::min(), 0, 0, 1}));
  EXPECT_EQ((cast<float, std::int32_t>({2147483520.0f, 2147483648.0f, -2147483648.0f})),
            (std::vector<std::int32_t>{2147483520, Int32::max(), Int32::min()}));
  EXPECT_EQ((cast<double, std::int64_t>({0x1p63, 0x1.fffffffffffffp62, -0x1p63, infinity, -infinity, NAN})),
            (std::vector<std::int64_t>{Int64::max(), 0x7ffffffffffffc00, Int64::min(), Int64::max(), Int64::min(), 0}));
  EXPECT_EQ((cast<float, std::uint8_t>({-1.0f, 255.9f, 256.0f, 3.99f, NAN})),
            (std::vector<std::uint8_t>{0, 255, 255, 3, 0}));
  EXPECT_EQ((cast<std::int64_t, std::uint8_t>({-1, 256, 511})), (std::vector<std::uint8_t>{255, 0, 255}));
}

TEST(Copy, TakesAnyNumberButZeroForTrue) {
  EXPECT_EQ((cast<double, bool>({0.0, -0.0, 1e-300, NAN, 2})), (std::vector<bool>{false, false, true, true, true}));
  EXPECT_EQ((cast<std::int32_t, bool>({0, 256, -1})), (std::vector<bool>{false, true, true}));
}

TEST(Copy, DependsNotOnLayoutOrChunks) {
  ReverseContext context;
  ThreadsContext threads;
  for_each_pair([&]<class From, class To>(std::type_identity<From>, std::type_identity<To>) {
    const auto values = samples<From>();
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{20, 70}, {700}, {2, 3, 200}, {2, 2, 2, 3, 5, 5, 2, 1}}) {
      TestArray expected(dtype_of<To>(), shape);
      TestArray source = TestArray::of<From>(values, shape);
      run_kernel("copy", {expected.array()}, {source.array()}, context);
      for (const TestLayout from : all_layouts) {
        for (const TestLayout to : {TestLayout::contiguous, TestLayout::gaps, TestLayout::twisted}) {
          TestArray x = TestArray::of<From>(values, shape, from);
          TestArray y(dtype_of<To>(), shape, to);
          run_kernel("copy", {y.array()}, {x.array()}, threads);
          ASSERT_EQ(y.contents(), expected.contents()) << name(dtype_of<From>()) << " to " << name(dtype_of<To>());
          ASSERT_TRUE(y.gaps_untouched());
        }
      }
    }
  });
}

TEST(Copy, TransposesLargeMatrices) {
  ReverseContext context;
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{700, 331}, {64, 5000}, {5000, 3}}) {
    TestArray x(DType::int32, {rows, columns}, TestLayout::transposed);
    for (std::int64_t i = 0; i < rows * columns; ++i) x.set<std::int32_t>(i, static_cast<std::int32_t>(i));
    TestArray y(DType::int32, {rows, columns});
    TestArray z(DType::float64, {rows, columns});
    run_kernel("copy", {y.array()}, {x.array()}, context);
    run_kernel("copy", {z.array()}, {x.array()}, context);
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      ASSERT_EQ(y.get<std::int32_t>(i), i);
      ASSERT_EQ(z.get<double>(i), static_cast<double>(i));
    }
  }
  EXPECT_GT(context.chunks(), 10);
}

TEST(Copy, CopiesBytesOfNansAsTheyAre) {
  TestArray x(DType::float32, {100});
  std::mt19937 random(1);
  for (std::int64_t i = 0; i < 100; ++i) x.set<std::uint32_t>(i, 0x7f800001u + random() % 1000);
  TestArray y(DType::float32, {100}, TestLayout::gaps);
  ReverseContext context;
  run_kernel("copy", {y.array()}, {x.array()}, context);
  EXPECT_EQ(y.contents(), x.contents());
}

TEST(Copy, OntoItselfChangesNothing) {
  ReverseContext context;
  for (const TestLayout layout : all_layouts) {
    TestArray x = TestArray::of<double>(samples<double>(), {30, 100}, layout);
    const auto before = x.contents();
    run_kernel("copy", {x.array()}, {x.array()}, context);
    EXPECT_EQ(x.contents(), before);
  }
}

TEST(Fill, WritesTheConstantEverywhere) {
  ThreadsContext threads;
  for (int i = 0; i < 8; ++i) {
    visit_dtype(static_cast<DType>(i), [&]<class T>(std::type_identity<T>) {
      TestArray value = TestArray::of<T>({static_cast<T>(1.0f)}, {});
      for (const TestLayout layout : all_layouts) {
        for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{}, {1}, {17}, {300, 201}, {3, 0}}) {
          TestArray x(dtype_of<T>(), shape, layout);
          run_kernel("fill", {x.array()}, {value.constant()}, threads);
          for (std::int64_t k = 0; k < x.size(); ++k)
            ASSERT_TRUE(same_bits_or_nan(x.template get<T>(k), static_cast<T>(1.0f)));
          ASSERT_TRUE(x.gaps_untouched());
        }
      }
    });
  }
}

}  // namespace
}  // namespace stretto
