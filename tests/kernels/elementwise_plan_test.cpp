#include <array>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/cpu/elementwise_plan.h"

namespace stretto {
namespace {

struct View {
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // elements
  std::int64_t origin = 0;
};

/// A random view without overlap (an output), or with zero strides too (an input).
View random_view(const std::vector<std::int64_t>& shape, bool broadcast, std::mt19937& random) {
  View view{shape, std::vector<std::int64_t>(shape.size()), 0};
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) axes.push_back(axis);
  if (random() % 2 == 0) std::shuffle(axes.begin(), axes.end(), random);
  std::int64_t step = random() % 3 == 0 ? 2 : 1;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    if (broadcast && random() % 4 == 0) continue;
    view.strides[*axis] = step;
    step *= shape[*axis] + (random() % 4 == 0 ? 1 : 0);
    if (random() % 4 == 0) {
      view.origin += (shape[*axis] - 1) * view.strides[*axis];
      view.strides[*axis] = -view.strides[*axis];
    }
  }
  return view;
}

/// The places of the elements of a view, in row-major order.
std::vector<std::int64_t> places(const View& view) {
  std::vector<std::int64_t> result = {view.origin};
  for (std::size_t axis = 0; axis < view.shape.size(); ++axis) {
    std::vector<std::int64_t> next;
    for (const std::int64_t place : result) {
      for (std::int64_t i = 0; i < view.shape[axis]; ++i) next.push_back(place + i * view.strides[axis]);
    }
    result = std::move(next);
  }
  return result;
}

// Pointers are compared as numbers only: nothing is read or written.
Array array_of(const View& view, DType dtype) {
  return {reinterpret_cast<std::byte*>(1 << 20) + view.origin * static_cast<std::int64_t>(item_size(dtype)),
          view.shape.data(),
          view.strides.data(),
          dtype,
          static_cast<std::uint8_t>(view.shape.size()),
          false};
}

std::int64_t place_of(const std::byte* pointer, std::int64_t size) {
  return (pointer - reinterpret_cast<std::byte*>(1 << 20)) / size;
}

TEST(ElementwisePlan, VisitsEachElementOnceWithItsInputs) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::int64_t> shape(random() % 5);
    for (std::int64_t& extent : shape) extent = 1 + static_cast<std::int64_t>(random() % 7);
    if (!shape.empty() && random() % 4 == 0) shape[random() % shape.size()] = 150;
    const View output = random_view(shape, false, random);
    const std::array inputs = {random_view(shape, true, random), random_view(shape, true, random)};
    const std::int64_t grain = std::array{1, 4, 100, 4096}[random() % 4];

    const std::array arrays = {array_of(inputs[0], DType::uint8), array_of(inputs[1], DType::float64)};
    const ElementwisePlan plan(array_of(output, DType::float32), arrays, grain);

    std::map<std::int64_t, std::array<std::int64_t, 2>> visited;
    for (std::int64_t chunk = 0; chunk < plan.chunks(); ++chunk) {
      plan.visit_chunk(chunk, [&](const ElementwisePlan::Tile& tile) {
        for (std::int64_t row = 0; row < tile.rows; ++row) {
          for (std::int64_t column = 0; column < tile.columns; ++column) {
            std::array<std::int64_t, 3> at;
            for (int k = 0; k < 3; ++k) {
              at[k] = place_of(tile.pointers[k] + row * plan.row_stride(k) + column * plan.column_stride(k),
                               plan.item_size(k));
            }
            ASSERT_TRUE(visited.try_emplace(at[0], std::array{at[1], at[2]}).second) << "round " << round;
          }
        }
      });
    }

    const auto output_places = places(output);
    const auto first = places(inputs[0]);
    const auto second = places(inputs[1]);
    ASSERT_EQ(visited.size(), output_places.size()) << "round " << round;
    for (std::size_t i = 0; i < output_places.size(); ++i) {
      ASSERT_EQ(visited.at(output_places[i]), (std::array{first[i], second[i]})) << "round " << round;
    }
  }
}

TEST(ElementwisePlan, HasNoChunksWithoutElements) {
  const View empty{{3, 0, 2}, {0, 2, 1}, 0};
  const std::array inputs = {array_of(empty, DType::float32)};
  EXPECT_EQ(ElementwisePlan(array_of(empty, DType::float32), inputs, 100).chunks(), 0);
}

TEST(ElementwisePlan, MergesWhatIsContiguous) {
  const View view{{4, 5, 6}, {30, 6, 1}, 0};
  const std::array inputs = {array_of(view, DType::float32)};
  const ElementwisePlan plan(array_of(view, DType::float32), inputs, 1000);
  ASSERT_EQ(plan.chunks(), 1);
  plan.visit_chunk(0, [](const ElementwisePlan::Tile& tile) {
    EXPECT_EQ(tile.rows, 1);
    EXPECT_EQ(tile.columns, 120);
  });
}

TEST(ElementwisePlan, CutsLargeArraysIntoChunksOfTheGrain) {
  const View view{{1000, 1000}, {2001, 2}, 0};
  const std::array inputs = {array_of(view, DType::float32)};
  const ElementwisePlan plan(array_of(view, DType::float32), inputs, 32768);
  EXPECT_EQ(plan.chunks(), 32);  // 32 rows each
}

}  // namespace
}  // namespace stretto
