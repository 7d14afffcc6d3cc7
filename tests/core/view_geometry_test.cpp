#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <stretto/base/error.h>
#include <stretto/core/view_geometry.h>

#include "core/expect_error.h"
#include "core/random_views.h"

namespace stretto {
namespace {

using Offsets = std::vector<std::int64_t>;
constexpr std::nullopt_t edge = std::nullopt;

const Geometry matrix = geometry::contiguous(Shape{2, 3});
const Geometry line = geometry::contiguous(Shape{10});

Offsets cut(std::optional<std::int64_t> start, std::optional<std::int64_t> stop, std::int64_t step = 1) {
  return element_offsets(geometry::slice(line, 0, start, stop, step));
}

TEST(ViewGeometry, SliceFollowsNumpy) {
  EXPECT_EQ(cut(2, 7, 2), (Offsets{2, 4, 6}));
  EXPECT_EQ(cut(edge, edge, -1), (Offsets{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(cut(-3, edge), (Offsets{7, 8, 9}));
  EXPECT_EQ(cut(8, 2, -3), (Offsets{8, 5}));
  EXPECT_EQ(cut(20, -20, -4), (Offsets{9, 5, 1}));
  EXPECT_EQ(cut(-20, 3), (Offsets{0, 1, 2}));
  EXPECT_EQ(cut(edge, -20, -5), (Offsets{9, 4}));
  EXPECT_EQ(cut(edge, edge, 20), (Offsets{0}));
  EXPECT_EQ(cut(5, 5), Offsets{});
  EXPECT_EQ(cut(7, 2), Offsets{});
  EXPECT_EQ(cut(2, 7, -1), Offsets{});
  EXPECT_EQ(cut(15, 20), Offsets{});
  EXPECT_EQ(cut(edge, edge, std::numeric_limits<std::int64_t>::min()), (Offsets{9}));
  EXPECT_EQ(geometry::slice(geometry::contiguous(Shape{0}), 0, edge, edge, -1).shape, (Shape{0}));
  EXPECT_EQ(geometry::slice(matrix, -1, 1, edge), (Geometry{Shape{2, 2}, Strides{3, 1}, 1}));
  EXPECT_ERROR(cut(0, 1, 0), IndexError, "a slice needs a step other than 0");
}

TEST(ViewGeometry, SliceOfASliceStaysInside) {
  const Geometry back = geometry::slice(line, 0, edge, edge, -2);  // 9 7 5 3 1
  EXPECT_EQ(element_offsets(geometry::slice(back, 0, 1, 4, 2)), (Offsets{7, 3}));
}

TEST(ViewGeometry, Select) {
  EXPECT_EQ(geometry::select(matrix, 0, 1), (Geometry{Shape{3}, Strides{1}, 3}));
  EXPECT_EQ(geometry::select(matrix, -1, -1), (Geometry{Shape{2}, Strides{3}, 2}));
  EXPECT_ERROR(geometry::select(matrix, 1, 3), IndexError, "index 3 is out of range for axis 1 of shape (2,3)");
  EXPECT_ERROR(geometry::select(matrix, 1, -4), IndexError, "index -4 is out of range for axis 1 of shape (2,3)");
  EXPECT_ERROR(geometry::select(matrix, 2, 0), IndexError, "axis 2 is out of range for a tensor of 2 dimensions");
}

TEST(ViewGeometry, TransposeAndPermute) {
  EXPECT_EQ(geometry::transpose(matrix, 0, -1), (Geometry{Shape{3, 2}, Strides{1, 3}, 0}));
  const Geometry cube = geometry::contiguous(Shape{2, 3, 4});
  EXPECT_EQ(geometry::permute(cube, {2, 0, -2}), (Geometry{Shape{4, 2, 3}, Strides{1, 12, 4}, 0}));
  EXPECT_ERROR(geometry::permute(cube, {0, 1}), ShapeError, "axes (0,1) do not name each axis of shape (2,3,4) once");
  EXPECT_ERROR(geometry::permute(cube, {0, 1, -2}), ShapeError,
               "axes (0,1,-2) do not name each axis of shape (2,3,4) once");
  EXPECT_ERROR(geometry::permute(matrix, {0, 1, 2}), ShapeError,
               "axes (0,1,2) do not name each axis of shape (2,3) once");
}

TEST(ViewGeometry, Expand) {
  const Geometry column = geometry::contiguous(Shape{3, 1});
  EXPECT_EQ(geometry::expand(column, {2, -1, 4}), (Geometry{Shape{2, 3, 4}, Strides{0, 1, 0}, 0}));
  EXPECT_EQ(geometry::expand(column, {3, 0}).shape, (Shape{3, 0}));
  EXPECT_ERROR(geometry::expand(column, {2, 4}), ShapeError, "shape (3,1) cannot be broadcast to (2,4)");
  EXPECT_ERROR(geometry::expand(column, {-1, 3, 4}), ShapeError, "cannot expand (3,1) to (-1,3,4)");
  EXPECT_ERROR(geometry::expand(column, {3}), ShapeError, "cannot expand (3,1) to (3,)");
}

TEST(ViewGeometry, SqueezeAndUnsqueeze) {
  const Geometry g = geometry::contiguous(Shape{1, 2, 1, 3});
  EXPECT_EQ(geometry::squeeze(g).shape, (Shape{2, 3}));
  EXPECT_EQ(geometry::squeeze(g, -2).shape, (Shape{1, 2, 3}));
  EXPECT_ERROR(geometry::squeeze(g, 1), ShapeError, "cannot squeeze axis 1 of shape (1,2,1,3): its extent is 2, not 1");
  EXPECT_EQ(geometry::unsqueeze(matrix, 0).shape, (Shape{1, 2, 3}));
  EXPECT_EQ(geometry::unsqueeze(matrix, -1).shape, (Shape{2, 3, 1}));
  EXPECT_EQ(element_offsets(geometry::unsqueeze(matrix, 1)), element_offsets(matrix));
  EXPECT_ERROR(geometry::unsqueeze(matrix, 4), IndexError, "axis 4 is out of range for a tensor of 3 dimensions");
}

TEST(ViewGeometry, Diagonal) {
  EXPECT_EQ(element_offsets(geometry::diagonal(matrix)), (Offsets{0, 4}));
  EXPECT_EQ(element_offsets(geometry::diagonal(matrix, 1)), (Offsets{1, 5}));
  EXPECT_EQ(element_offsets(geometry::diagonal(matrix, 2)), (Offsets{2}));
  EXPECT_EQ(element_offsets(geometry::diagonal(matrix, -1)), (Offsets{3}));
  EXPECT_EQ(element_offsets(geometry::diagonal(matrix, 1, 1, 0)), (Offsets{3}));
  EXPECT_EQ(geometry::diagonal(matrix, 9).shape, (Shape{0}));
  EXPECT_EQ(geometry::diagonal(matrix, std::numeric_limits<std::int64_t>::min()).shape, (Shape{0}));
  EXPECT_EQ(geometry::diagonal(geometry::contiguous(Shape{2, 3, 4}), 0, 0, 2).shape, (Shape{3, 2}));
  EXPECT_ERROR(geometry::diagonal(matrix, 0, 1, -1), ShapeError,
               "a diagonal needs two different axes, and both are 1 of shape (2,3)");
}

TEST(ViewGeometry, ReshapeInfersAndRefuses) {
  EXPECT_EQ(geometry::infer_shape(Shape{4, 6}, {3, -1}), (Shape{3, 8}));
  EXPECT_EQ(geometry::infer_shape(Shape{0, 6}, {3, -1}), (Shape{3, 0}));
  EXPECT_EQ(geometry::infer_shape(Shape{}, {-1}), (Shape{1}));
  for (const IndexList& target :
       {IndexList{5, -1}, IndexList{-1, -1}, IndexList{2, 3}, IndexList{-2, -3}, IndexList{}}) {
    EXPECT_ERROR(geometry::reshape(geometry::contiguous(Shape{4, 6}), target), ShapeError,
                 "cannot reshape (4,6) to " + to_string(target));
  }
  EXPECT_ERROR(geometry::infer_shape(Shape{0, 6}, {0, -1}), ShapeError, "cannot reshape (0,6) to (0,-1)");
}

/// Whether some strides give the same elements in the same order. Each stride is fixed by the first step along its
/// axis.
bool some_strides_fit(const Geometry& g, const Shape& shape) {
  const Offsets offsets = element_offsets(g);
  Geometry candidate{shape, contiguous_strides(shape), g.offset};
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] > 1) candidate.strides[i] = offsets[static_cast<std::size_t>(candidate.strides[i])] - g.offset;
  }
  return element_offsets(candidate) == offsets;
}

TEST(ViewGeometry, ReshapeIsAViewExactlyWhenStridesExist) {
  constexpr std::uint64_t seed = 20240611;
  RandomViews random(seed);
  int views = 0, copies = 0;
  for (int round = 0; round < 8000; ++round) {
    const Geometry g = random.view(random.contiguous(static_cast<int>(random.between(0, 4)), 4));
    Shape target;
    for (std::int64_t rest = g.shape.numel(); rest > 1 && target.rank() < max_rank;) {
      std::int64_t extent = random.between(1, 12);
      if (target.rank() == max_rank - 1) extent = rest;
      if (rest % extent != 0) continue;
      target.push_back(extent);
      rest /= extent;
    }
    const std::optional<Geometry> result = geometry::reshape(g, target);
    const std::string what = describe(g) + " to " + to_string(target) + ", seed " + std::to_string(seed);
    ASSERT_EQ(result.has_value(), some_strides_fit(g, target)) << what;
    if (result) {
      ASSERT_EQ(element_offsets(*result), element_offsets(g)) << what;
    }
    ++(result ? views : copies);
  }
  EXPECT_GT(views, 500);
  EXPECT_GT(copies, 500);
}

TEST(ViewGeometry, PermutedViewsHoldTheSameElements) {
  RandomViews random(7);
  for (int round = 0; round < 500; ++round) {
    const Geometry g = random.sliced(random.contiguous(4, 4), 3);
    const Offsets before = element_offsets(g), after = element_offsets(random.permuted(g));
    ASSERT_EQ(std::multiset(before.begin(), before.end()), std::multiset(after.begin(), after.end())) << describe(g);
  }
}

}  // namespace
}  // namespace stretto
