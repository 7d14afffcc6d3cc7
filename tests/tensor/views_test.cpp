#include <random>

#include "core/random_views.h"
#include "tensor/testing.h"

namespace stretto {
namespace {

class ViewsOn : public OnEachDevice {};
INSTANTIATE_ON_EACH_DEVICE(ViewsOn);

std::vector<float> values(const Tensor& tensor) { return tensor.to_vector<float>(); }

TEST_P(ViewsOn, ShareTheStorage) {
  const Tensor x = counting({2, 3}, device());
  const Tensor views[] = {
      x.reshape({3, 2}), x.flatten(),       x.transpose(0, 1),   x.t(),       x.permute({1, 0}), x.slice(1, 0, 2), x[1],
      x.select(1, 0),    x.narrow(1, 1, 2), x.expand({4, 2, 3}), x.squeeze(), x.unsqueeze(0),    x.diagonal()};
  for (const Tensor& view : views) EXPECT_TRUE(view.shares_storage(x)) << view.shape().rank();
}

TEST_P(ViewsOn, HaveTheRightElements) {
  const Tensor x = counting({2, 3}, device());
  using V = std::vector<float>;
  EXPECT_EQ(values(x.reshape({3, -1})), (V{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(x.reshape({3, -1}).shape(), Shape({3, 2}));
  EXPECT_EQ(values(x.t()), (V{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(values(x.t().reshape({6})), (V{0, 3, 1, 4, 2, 5}));
  EXPECT_FALSE(x.t().reshape({6}).shares_storage(x));
  EXPECT_EQ(values(x.t().flatten()), (V{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(values(x.slice(1, std::nullopt, std::nullopt, -1)), (V{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(values(x.slice(1, 1, 1)), V{});
  EXPECT_EQ(values(x[-1]), (V{3, 4, 5}));
  EXPECT_EQ(values(x.select(1, -1)), (V{2, 5}));
  EXPECT_EQ(values(x.narrow(1, -2, 2)), (V{1, 2, 4, 5}));
  EXPECT_EQ(values(x[0].expand({2, 3})), (V{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(values(x.diagonal(1)), (V{1, 5}));
  EXPECT_EQ(x.unsqueeze(-1).shape(), Shape({2, 3, 1}));
  EXPECT_EQ(x.unsqueeze(0).squeeze(0).shape(), Shape({2, 3}));
  EXPECT_EQ(x.reshape({1, 2, 1, 3}).squeeze().shape(), Shape({2, 3}));
}

TEST_P(ViewsOn, FlattenJoinsARangeOfAxes) {
  const Tensor x = counting({2, 3, 2}, device());
  EXPECT_EQ(x.flatten(1).shape(), Shape({2, 6}));
  EXPECT_EQ(x.flatten(0, 1).shape(), Shape({6, 2}));
  EXPECT_EQ(x[0][0][0].flatten().shape(), Shape({1}));
  EXPECT_EQ(empty({0, 3}, device()).flatten().shape(), Shape({0}));
}

/// Any view of a view reads the elements that its geometry names.
TEST_P(ViewsOn, RandomChainsReadWhatTheirGeometrySays) {
  std::mt19937 random(17);
  for (int round = 0; round < 200; ++round) {
    Tensor view = counting({2, 3, 4, 2}, device());
    for (int step = 0; step < 4 && view.rank() > 1; ++step) {
      const auto axis = static_cast<std::int64_t>(random() % static_cast<unsigned>(view.rank()));
      const auto other = static_cast<std::int64_t>(random() % static_cast<unsigned>(view.rank()));
      switch (random() % 5) {
        case 0: view = view.transpose(axis, other); break;
        case 1: view = view.slice(axis, std::nullopt, std::nullopt, random() % 2 ? 2 : -1); break;
        case 2: view = view.size(axis) > 0 ? view.select(axis, view.size(axis) - 1) : view; break;
        case 3:
          view = view.unsqueeze(axis).expand([&] {
            Shape shape = view.shape();
            shape.insert(static_cast<int>(axis), 2);
            return shape;
          }());
          break;
        default: view = view.flatten(0, 1);
      }
    }
    std::int64_t offset = 0;
    if (view.numel() > 0) {
      Tensor first = view;
      while (first.rank() > 0) first = first[0];
      offset = static_cast<std::int64_t>(first.item<float>());
    }
    // `flatten` may have copied: positions are then those of the copy, whose values are still the counts.
    const std::vector<float> read = values(view);
    const std::vector<float> again = values(view.clone());
    EXPECT_EQ(read, again);
    ASSERT_EQ(static_cast<std::int64_t>(read.size()), view.numel());
    if (view.numel() > 0) {
      EXPECT_EQ(read[0], static_cast<float>(offset));
    }
  }
}

TEST(Views, NameTheLineAndTheShapesWhenTheyDoNotFit) {
  const Tensor x = empty({2, 3});
  EXPECT_FAILURE(x.reshape({4, 2}), ShapeError, "[reshape] cannot reshape (2,3) to (4,2)" + here());
  EXPECT_FAILURE(x.t().reshape({5}), ShapeError, "[reshape] cannot reshape (3,2) to (5,)" + here());
  EXPECT_FAILURE(x[2], IndexError, "[index] index 2 is out of range for axis 0 of shape (2,3)" + here());
  EXPECT_FAILURE(x[0][-4], IndexError, "[index] index -4 is out of range for axis 0 of shape (3,)" + here());
  EXPECT_FAILURE(x[0][0][0], IndexError, "[index] a tensor of shape () has no axis to index" + here());
  EXPECT_FAILURE(x.select(1, 3), IndexError, "[select] index 3 is out of range for axis 1 of shape (2,3)" + here());
  EXPECT_FAILURE(x.narrow(1, 2, 2), IndexError,
                 "[narrow] 2 positions from 2 are not all in axis 1 of shape (2,3)" + here());
  EXPECT_FAILURE(x.slice(0, 0, 2, 0), IndexError, "[slice] a slice needs a step other than 0" + here());
  EXPECT_FAILURE(x.unsqueeze(0).t(), ShapeError,
                 "[t] shape (1,2,3) is not a matrix: write transpose or permute with the axes" + here());
  EXPECT_FAILURE(x.permute({0, 0}), ShapeError,
                 "[permute] axes (0,0) do not name each axis of shape (2,3) once" + here());
  EXPECT_FAILURE(x.flatten(1, 0), ShapeError, "[flatten] axis 1 comes after axis 0 of shape (2,3)" + here());
  EXPECT_FAILURE(x.squeeze(1), ShapeError,
                 "[squeeze] cannot squeeze axis 1 of shape (2,3): its extent is 3, not 1" + here());
}

}  // namespace
}  // namespace stretto
