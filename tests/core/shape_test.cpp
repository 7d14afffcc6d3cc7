#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <stretto/base/error.h>
#include <stretto/core/shape.h>

#include "core/expect_error.h"

namespace stretto {
namespace {

TEST(Shape, HoldsItsExtents) {
  const Shape shape{2, 3, 4};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape[1], 3);
  EXPECT_EQ(shape.numel(), 24);
  EXPECT_EQ(shape, (Shape{2, 3, 4}));
  EXPECT_FALSE(shape == (Shape{2, 3}));
  EXPECT_FALSE(shape == (Shape{2, 3, 5}));
  const std::vector<std::int64_t> extents{5, 6};
  EXPECT_EQ(Shape(extents), (Shape{5, 6}));
  EXPECT_EQ(Shape().numel(), 1);
}

TEST(Shape, Text) {
  EXPECT_EQ(to_string(Shape{2, 3}), "(2,3)");
  EXPECT_EQ(to_string(Shape{3}), "(3,)");
  EXPECT_EQ(to_string(Shape{}), "()");
}

TEST(Shape, WrongExtents) {
  EXPECT_ERROR((Shape{2, -1}), ShapeError, "shape (2,-1) has a negative extent");
  EXPECT_ERROR((Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}), ShapeError, "9 dimensions are too many: at most 8 are supported");
  EXPECT_ERROR(Shape(std::vector<std::int64_t>(20, 1)), ShapeError,
               "20 dimensions are too many: at most 8 are supported");
  Shape full{1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_ERROR(full.push_back(1), ShapeError, "9 dimensions are too many: at most 8 are supported");
  EXPECT_EQ(full.rank(), 8);
}

TEST(Shape, CountsElementsWithoutOverflow) {
  const std::int64_t big = std::int64_t{1} << 40;
  EXPECT_ERROR((Shape{big, big}.numel()), ShapeError,
               "shape (1099511627776,1099511627776) has more elements than 63 bits can count");
  EXPECT_EQ((Shape{big, big, 0}.numel()), 0);
  EXPECT_ERROR(contiguous_strides(Shape{big, big, 2}), ShapeError,
               "shape (1099511627776,1099511627776,2) has strides that do not fit in 63 bits");
}

TEST(IndexList, InsertsAndErases) {
  IndexList list{1, 2, 3};
  list.insert(0, 9);
  list.insert(4, 8);
  EXPECT_EQ(list, (IndexList{9, 1, 2, 3, 8}));
  list.erase(1);
  list.erase(3);
  EXPECT_EQ(list, (IndexList{9, 2, 3}));
}

TEST(Strides, Contiguous) {
  EXPECT_EQ(contiguous_strides(Shape{2, 3, 4}), (Strides{12, 4, 1}));
  EXPECT_EQ(contiguous_strides(Shape{2, 0, 4}), (Strides{4, 4, 1}));
  EXPECT_TRUE(is_contiguous(Shape{2, 3}, Strides{3, 1}));
  EXPECT_TRUE(is_contiguous(Shape{1, 3}, Strides{77, 1}));
  EXPECT_TRUE(is_contiguous(Shape{2, 0}, Strides{5, 5}));
  EXPECT_TRUE(is_contiguous(Shape{}, Strides{}));
  EXPECT_FALSE(is_contiguous(Shape{2, 3}, Strides{1, 2}));
  EXPECT_FALSE(is_contiguous(Shape{2, 3}, Strides{4, 1}));
  EXPECT_FALSE(is_contiguous(Shape{3}, Strides{-1}));
}

TEST(Broadcast, Shapes) {
  EXPECT_EQ(broadcast_shapes(Shape{2, 3}, Shape{3}), (Shape{2, 3}));
  EXPECT_EQ(broadcast_shapes(Shape{3}, Shape{2, 1}), (Shape{2, 3}));
  EXPECT_EQ(broadcast_shapes(Shape{}, Shape{4, 1}), (Shape{4, 1}));
  EXPECT_EQ(broadcast_shapes(Shape{5, 1, 7}, Shape{6, 1}), (Shape{5, 6, 7}));
  EXPECT_EQ(broadcast_shapes(Shape{0}, Shape{1}), (Shape{0}));
  EXPECT_ERROR(broadcast_shapes(Shape{2, 3}, Shape{4}), ShapeError, "shapes (2,3) and (4,) cannot be broadcast");
  EXPECT_ERROR(broadcast_shapes(Shape{0}, Shape{2, 3}), ShapeError, "shapes (0,) and (2,3) cannot be broadcast");
}

TEST(Broadcast, Strides) {
  EXPECT_EQ(broadcast_strides(Shape{3, 1}, Strides{1, 1}, Shape{2, 3, 4}), (Strides{0, 1, 0}));
  EXPECT_EQ(broadcast_strides(Shape{}, Strides{}, Shape{2}), (Strides{0}));
  EXPECT_ERROR(broadcast_strides(Shape{3}, Strides{1}, Shape{2}), ShapeError, "shape (3,) cannot be broadcast to (2,)");
  EXPECT_ERROR(broadcast_strides(Shape{1, 2}, Strides{2, 1}, Shape{2}), ShapeError,
               "shape (1,2) cannot be broadcast to (2,)");
}

TEST(Axis, Normalized) {
  EXPECT_EQ(normalize_axis(-1, 3), 2);
  EXPECT_EQ(normalize_axis(0, 3), 0);
  EXPECT_ERROR(normalize_axis(3, 3), IndexError, "axis 3 is out of range for a tensor of 3 dimensions");
  EXPECT_ERROR(normalize_axis(-2, 1), IndexError, "axis -2 is out of range for a tensor of 1 dimension");
  EXPECT_ERROR(normalize_axis(0, 0), IndexError, "axis 0 is out of range for a tensor of 0 dimensions");
}

}  // namespace
}  // namespace stretto
