#include <gtest/gtest.h>
#include <stretto/stretto.h>

namespace stretto {
namespace {

TEST(Joining, PiecesAreViews) {
  const Tensor x = arange(10);
  const std::vector<Tensor> parts = split(x, 4);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[2].to_vector<std::int64_t>(), (std::vector<std::int64_t>{8, 9}));
  EXPECT_TRUE(parts[1].shares_storage(x));
  parts[1].fill_(0);
  EXPECT_EQ(x.to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 1, 2, 3, 0, 0, 0, 0, 8, 9}));

  const std::vector<Tensor> sized = split_with_sizes(arange(6).reshape({2, 3}), {1, 0, 2}, -1);
  ASSERT_EQ(sized.size(), 3u);
  EXPECT_EQ(sized[0].to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(to_string(sized[1].shape()), "(2,0)");
  EXPECT_EQ(sized[2].to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 2, 4, 5}));

  EXPECT_EQ(chunk(arange(10), 4).size(), 4u);
  EXPECT_EQ(chunk(arange(10), 4)[3].numel(), 1);
  EXPECT_EQ(chunk(arange(5), 4).size(), 3u);
  EXPECT_EQ(chunk(zeros({0, 2}), 3).size(), 3u);
  EXPECT_EQ(split(zeros({0, 2}), 3).size(), 1u);
}

TEST(Joining, JoinsManyAndOne) {
  std::vector<Tensor> tensors;
  for (int i = 0; i < 20; ++i) tensors.push_back(full({1, 2}, i));
  const Tensor x = concat(tensors);
  EXPECT_EQ(to_string(x.shape()), "(20,2)");
  EXPECT_EQ(x[19][1].item<int>(), 19);
  const Tensor one = concat({x});
  EXPECT_FALSE(one.shares_storage(x));
  EXPECT_TRUE(equal(one, x));
  EXPECT_EQ(to_string(stack({full({}, 1), full({}, 2)}).shape()), "(2,)");
}

}  // namespace
}  // namespace stretto
