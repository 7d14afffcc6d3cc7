#include <gtest/gtest.h>

#include <cmath>

#include <stretto/base/error.h>

#include "kernels/dtypes.h"
#include "kernels/number_array.h"
#include "kernels/parameters.h"

namespace stretto {
namespace {

using Values = std::vector<double>;

AxisParameters along(std::size_t axis) { return {.axis = static_cast<std::int64_t>(axis), .descending = false}; }

NumberArray positions(const Extents& shape, std::int64_t below, TestLayout layout = TestLayout::contiguous) {
  NumberArray index(DType::int64, shape, layout);
  for (std::int64_t i = 0; i < index.size(); ++i) index.put<std::int64_t>(i, (i * 7 + 3) % below);
  return index;
}

// The index of an element in C order, taken apart at an axis.
struct Place {
  std::int64_t outer, at, inner;
};
Place place(std::int64_t index, const Extents& shape, std::size_t axis) {
  std::int64_t inner = 1;
  for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  return {index / inner / shape[axis], index / inner % shape[axis], index % inner};
}
std::int64_t index_of(const Place& place, const Extents& shape, std::size_t axis) {
  std::int64_t inner = 1;
  for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  return (place.outer * shape[axis] + place.at) * inner + place.inner;
}

const Extents shapes[] = {{9}, {6, 5}, {3, 7, 4}, {130, 70}};

TEST(Indexing, GatherOfEveryTypeAxisAndLayout) {
  for (const DType dtype : all_types) {
    for (const Extents& shape : shapes) {
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        Extents taken = shape;
        taken[axis] = 11;
        const NumberArray x = NumberArray(dtype, shape).randomize(1);
        for (const TestLayout layout : all_layouts) {
          NumberArray there = x.in(layout), index = positions(taken, shape[axis], layout), result(dtype, taken, layout);
          call_kernel_on_threads("gather", {&result}, {&there, &index}, along(axis));
          for (std::int64_t i = 0; i < result.size(); ++i) {
            Place from = place(i, taken, axis);
            from.at = index.take<std::int64_t>(i);
            ASSERT_EQ(result.get(i), x.get(index_of(from, shape, axis))) << name(dtype) << " axis " << axis;
          }
          ASSERT_TRUE(result.gaps_untouched());
        }
      }
    }
  }
}

TEST(Indexing, IndexSelectOfEveryTypeAxisAndLayout) {
  for (const DType dtype : all_types) {
    for (const Extents& shape : shapes) {
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        Extents taken = shape;
        taken[axis] = 300;
        const NumberArray x = NumberArray(dtype, shape).randomize(2);
        for (const TestLayout layout : all_layouts) {
          for (const TestLayout output_layout : {layout, TestLayout::contiguous}) {
            NumberArray there = x.in(layout), index = positions({300}, shape[axis], layout);
            NumberArray result(dtype, taken, output_layout);
            call_kernel("index_select", {&result}, {&there, &index}, along(axis));
            for (std::int64_t i = 0; i < result.size(); ++i) {
              Place from = place(i, taken, axis);
              from.at = index.take<std::int64_t>(from.at);
              ASSERT_EQ(result.get(i), x.get(index_of(from, shape, axis))) << name(dtype) << " axis " << axis;
            }
            ASSERT_TRUE(result.gaps_untouched());
          }
        }
      }
    }
  }
}

TEST(Indexing, IndexAddOfEveryTypeAxisAndLayout) {
  for (const DType dtype : all_types) {
    for (const Extents& shape : shapes) {
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        Extents added = shape;
        added[axis] = 20;
        const NumberArray x = NumberArray(dtype, shape).randomize(3), source = NumberArray(dtype, added).randomize(4);
        const NumberArray index = positions({20}, shape[axis]);
        // One addition after another, each rounded to the type.
        NumberArray expected = x;
        for (std::int64_t i = 0; i < source.size(); ++i) {
          Place to = place(i, added, axis);
          to.at = index.take<std::int64_t>(to.at);
          const std::int64_t at = index_of(to, shape, axis);
          const double sum = expected.get(at) + source.get(i);
          expected.set(at, dtype == DType::uint8 ? std::fmod(sum, 256) : sum);
        }
        for (const TestLayout layout : all_layouts) {
          NumberArray result = x.in(layout), index_there = index.in(layout), source_there = source.in(layout);
          call_kernel_on_threads("index_add", {&result}, {&index_there, &source_there}, along(axis));
          ASSERT_EQ(result.contents(), expected.contents()) << name(dtype) << " axis " << axis;
          ASSERT_TRUE(result.gaps_untouched());
        }
      }
    }
  }
}

TEST(Indexing, IndexAddKeepsTheOrderOfAdditions) {
  // In float32, 2^25 + 1 - 2^25 depends on it.
  NumberArray x(DType::float32, {1}, {0}), index(DType::int64, {3}, {0, 0, 0});
  NumberArray source(DType::float32, {3}, {33554432, 1, -33554432});
  call_kernel("index_add", {&x}, {&index, &source}, along(0));
  EXPECT_EQ(x.get(0), 0);
  NumberArray y(DType::float32, {1}, {0}), other(DType::float32, {3}, {33554432, -33554432, 1});
  call_kernel("index_add", {&y}, {&index, &other}, along(0));
  EXPECT_EQ(y.get(0), 1);
}

TEST(Indexing, OneHotOfEveryLayout) {
  for (const TestLayout layout : all_layouts) {
    NumberArray index = positions({4, 5}, 6, layout), result(DType::int64, {4, 5, 6}, layout);
    call_kernel_on_threads("one_hot", {&result}, {&index});
    for (std::int64_t i = 0; i < result.size(); ++i) {
      ASSERT_EQ(result.get(i), static_cast<double>(index.take<std::int64_t>(i / 6) == i % 6));
    }
    ASSERT_TRUE(result.gaps_untouched());
  }
  NumberArray scalar(DType::int64, {}, {2}), row(DType::int64, {3});
  call_kernel("one_hot", {&row}, {&scalar});
  EXPECT_EQ(row.values(), (Values{0, 0, 1}));
}

TEST(Indexing, OfNothing) {
  NumberArray x(DType::float32, {4, 3}, Values(12, 1.0)), none(DType::int64, {0}), empty(DType::float32, {0, 3});
  call_kernel("index_select", {&empty}, {&x, &none}, along(0));
  call_kernel("index_add", {&x}, {&none, &empty}, along(0));
  EXPECT_EQ(x.values(), Values(12, 1.0));
  NumberArray no_indices(DType::int64, {0, 3});
  call_kernel("gather", {&empty}, {&x, &no_indices}, along(0));
  NumberArray nothing(DType::int64, {0, 3, 5});
  call_kernel("one_hot", {&nothing}, {&no_indices});
  EXPECT_TRUE(empty.gaps_untouched());
}

void expect_index_error(std::string_view kernel, NumberArray& output, const std::vector<NumberArray*>& inputs,
                        const char* message) {
  const std::vector<std::byte> before = output.contents();
  try {
    call_kernel_on_threads(kernel, {&output}, inputs, along(0));
    FAIL() << "no error";
  } catch (const IndexError& error) {
    EXPECT_STREQ(error.what(), message);
  }
  EXPECT_EQ(output.contents(), before) << "something was written";
}

TEST(Indexing, NamesTheFirstIndexOutOfRange) {
  NumberArray x = NumberArray(DType::float32, {5, 2}).randomize(5);
  NumberArray index(DType::int64, {3}, {0, 7, 9}), negative(DType::int64, {3}, {4, 0, -1});
  NumberArray output = NumberArray(DType::float32, {3, 2}).randomize(6);
  expect_index_error("index_select", output, {&x, &index}, "index 7 is out of range for axis 0 with extent 5");
  expect_index_error("index_select", output, {&x, &negative}, "index -1 is out of range for axis 0 with extent 5");
  expect_index_error("index_add", x, {&index, &output}, "index 7 is out of range for axis 0 with extent 5");
  NumberArray matrix(DType::int64, {3, 2}, {0, 1, 2, 5, 6, 7});
  expect_index_error("gather", output, {&x, &matrix}, "index 5 is out of range for axis 0 with extent 5");
  NumberArray hot = NumberArray(DType::int64, {3, 4}).randomize(7);
  expect_index_error("one_hot", hot, {&index}, "index 7 is out of range for 4 classes");
  // Of many, looked through by several threads, the first one is named.
  NumberArray many = positions({100000}, 5);
  for (const std::int64_t at : {99000, 40000, 70000}) many.put<std::int64_t>(at, at);
  NumberArray wide(DType::float32, {100000, 2});
  expect_index_error("index_select", wide, {&x, &many}, "index 40000 is out of range for axis 0 with extent 5");
}

}  // namespace
}  // namespace stretto
