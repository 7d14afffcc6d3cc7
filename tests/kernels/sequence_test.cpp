#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <stretto/base/error.h>

#include "kernels/parameters.h"
#include "kernels/test_array.h"
#include "kernels/test_context.h"

namespace stretto {
namespace {

TEST(Arange, CountsFromStartByStep) {
  ReverseContext context;
  for (const TestLayout layout : all_layouts) {
    TestArray integers(DType::int64, {70'000}, layout);
    run_kernel("arange", {integers.array()}, {}, context, ArangeParameters{0, 0, 5, -3});
    TestArray reals(DType::float32, {70'000}, layout);
    run_kernel("arange", {reals.array()}, {}, context, ArangeParameters{0.5, 0.1, 0, 0});
    for (std::int64_t i = 0; i < 70'000; ++i) {
      ASSERT_EQ(integers.get<std::int64_t>(i), 5 - 3 * i);
      ASSERT_EQ(reals.get<float>(i), static_cast<float>(0.5 + static_cast<double>(i) * 0.1));
    }
    EXPECT_TRUE(integers.gaps_untouched());
  }
}

TEST(Arange, IsExactBeyondDoubles) {
  ReverseContext context;
  const std::int64_t start = (std::int64_t{1} << 60) + 1;
  TestArray x(DType::int64, {3});
  run_kernel("arange", {x.array()}, {}, context, ArangeParameters{0, 0, start, 1});
  EXPECT_EQ(x.values<std::int64_t>(), (std::vector<std::int64_t>{start, start + 1, start + 2}));
}

TEST(Arange, TakesEveryType) {
  ReverseContext context;
  for (int i = 0; i < 8; ++i) {
    visit_dtype(static_cast<DType>(i), [&]<class T>(std::type_identity<T>) {
      TestArray x(dtype_of<T>(), {2});
      run_kernel("arange", {x.array()}, {}, context, ArangeParameters{0, 1, 0, 1});
      EXPECT_EQ(static_cast<double>(x.template get<T>(0)), 0);
      EXPECT_EQ(static_cast<double>(x.template get<T>(1)), 1);
    });
  }
}

TEST(Linspace, MeetsBothEnds) {
  ReverseContext context;
  for (const std::int64_t count : {1, 2, 5, 100, 40'000}) {
    const double step = count > 1 ? 0.7 / static_cast<double>(count - 1) : 0;
    TestArray x(DType::float64, {count});
    run_kernel("linspace", {x.array()}, {}, context, LinspaceParameters{0.1, 0.8, step});
    EXPECT_EQ(x.get<double>(0), 0.1);
    EXPECT_EQ(x.get<double>(count - 1), count > 1 ? 0.8 : 0.1);
    for (std::int64_t i = 0; i < count; ++i) ASSERT_NEAR(x.get<double>(i), 0.1 + static_cast<double>(i) * step, 1e-15);
  }
}

TEST(Eye, HasOnesOnTheDiagonal) {
  ReverseContext context;
  ThreadsContext threads;
  for (const TestLayout layout : all_layouts) {
    for (const auto& [rows, columns] :
         {std::pair<std::int64_t, std::int64_t>{1, 1}, {3, 5}, {5, 3}, {300, 301}, {1000, 40}, {0, 3}, {3, 0}}) {
      TestArray x(DType::int32, {rows, columns}, layout);
      run_kernel("eye", {x.array()}, {}, threads);
      for (std::int64_t i = 0; i < rows * columns; ++i) ASSERT_EQ(x.get<std::int32_t>(i), i / columns == i % columns);
      EXPECT_TRUE(x.gaps_untouched());
    }
  }
  TestArray vector(DType::float32, {3});
  try {
    run_kernel("eye", {vector.array()}, {}, context);
    ADD_FAILURE();
  } catch (const ShapeError& error) {
    EXPECT_EQ(std::string(error.what()), "a matrix is needed, not 1 dimensions");
  }
}

TEST(Triangle, KeepsOneSideOfADiagonal) {
  ThreadsContext threads;
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{4, 6}, {6, 4}, {2, 3, 3}, {300, 250}, {0, 4}, {4, 0}}) {
    for (const TestLayout layout : all_layouts) {
      for (const std::int64_t diagonal :
           {std::int64_t{0}, std::int64_t{1}, std::int64_t{-2}, std::int64_t{100}, far, -far - 1}) {
        TestArray x(DType::float32, shape, layout);
        for (std::int64_t i = 0; i < x.size(); ++i) x.set<float>(i, i % 7 == 0 ? NAN : static_cast<float>(i + 1));
        TestArray lower(DType::float32, shape);
        TestArray upper(DType::float32, shape, TestLayout::gaps);
        run_kernel("tril", {lower.array()}, {x.array()}, threads, TriangleParameters{diagonal});
        run_kernel("triu", {upper.array()}, {x.array()}, threads, TriangleParameters{diagonal});
        const std::int64_t columns = shape.back();
        const std::int64_t rows = shape[shape.size() - 2];
        for (std::int64_t i = 0; i < x.size(); ++i) {
          const std::int64_t distance = i % columns - i / columns % rows;
          const std::uint32_t kept = x.get<std::uint32_t>(i);
          ASSERT_EQ(lower.get<std::uint32_t>(i), distance <= diagonal ? kept : 0) << i << " " << diagonal;
          ASSERT_EQ(upper.get<std::uint32_t>(i), distance >= diagonal ? kept : 0) << i << " " << diagonal;
        }
        run_kernel("tril", {x.array()}, {x.array()}, threads, TriangleParameters{diagonal});
        EXPECT_EQ(x.contents(), lower.contents()) << "in place";
        EXPECT_TRUE(upper.gaps_untouched() && x.gaps_untouched());
      }
    }
  }
}

TEST(Triangle, NeedsAMatrix) {
  ReverseContext context;
  TestArray vector(DType::float32, {3});
  EXPECT_THROW(run_kernel("tril", {vector.array()}, {vector.array()}, context, TriangleParameters{0}), ShapeError);
}

}  // namespace
}  // namespace stretto
