#include <cmath>
#include <sstream>

#include "tensor/testing.h"

namespace stretto {
namespace {

std::string printed(const Tensor& tensor) {
  std::ostringstream stream;
  stream << tensor;
  return stream.str();
}

TEST(Printing, IsAsPyTorchPrints) {
  EXPECT_EQ(printed(from_vector<float>({1, 2, 3, 4}, {2, 2})), "tensor([[1., 2.],\n        [3., 4.]])");
  EXPECT_EQ(printed(from_vector<float>({0.5, -12.25})), "tensor([  0.5000, -12.2500])");
  EXPECT_EQ(printed(from_vector<float>({1e-5f, 1})), "tensor([1.0000e-05, 1.0000e+00])");
  EXPECT_EQ(printed(from_vector<float>({1e9f, 1})), "tensor([1.0000e+09, 1.0000e+00])");
  EXPECT_EQ(printed(from_vector<float>({NAN, INFINITY, -INFINITY, 1})), "tensor([ nan,  inf, -inf,   1.])");
  EXPECT_EQ(printed(from_vector<float>({0, 0})), "tensor([0., 0.])");
  EXPECT_EQ(printed(from_vector<float>({3.5}, Shape())), "tensor(3.5000)");
  EXPECT_EQ(printed(from_vector<std::int64_t>({-1, 10})), "tensor([-1, 10])");
  EXPECT_EQ(printed(from_vector<bool>({true, false})), "tensor([ True, False])");
  EXPECT_EQ(printed(from_vector<double>({1})), "tensor([1.], dtype=float64)");
  EXPECT_EQ(printed(from_vector<std::uint8_t>({7}, sim(1))), "tensor([7], dtype=uint8, device=sim:1)");
  EXPECT_EQ(printed(empty({0, 3})), "tensor([], size=(0,3))");
  EXPECT_EQ(printed(empty({0})), "tensor([])");
  EXPECT_EQ(printed(Tensor()), "tensor(undefined)");
  EXPECT_EQ(printed(counting<std::int64_t>({2, 1, 2})), "tensor([[[0, 1]],\n\n        [[2, 3]]])");
  EXPECT_EQ(printed(counting<std::int64_t>({2, 3}).t()), "tensor([[0, 3],\n        [1, 4],\n        [2, 5]])");
}

TEST(Printing, BreaksLongLines) {
  EXPECT_EQ(printed(counting<std::int64_t>({30})),
            "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,\n"
            "        18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])");
}

TEST(Printing, SummarisesLargeTensors) {
  EXPECT_EQ(printed(counting({1001})), "tensor([   0.,    1.,    2.,  ...,  998.,  999., 1000.])");
  EXPECT_EQ(printed(counting<std::int64_t>({100, 100}, sim())),
            "tensor([[   0,    1,    2,  ...,   97,   98,   99],\n"
            "        [ 100,  101,  102,  ...,  197,  198,  199],\n"
            "        [ 200,  201,  202,  ...,  297,  298,  299],\n"
            "        ...,\n"
            "        [9700, 9701, 9702,  ..., 9797, 9798, 9799],\n"
            "        [9800, 9801, 9802,  ..., 9897, 9898, 9899],\n"
            "        [9900, 9901, 9902,  ..., 9997, 9998, 9999]], device=sim:0)");
}

}  // namespace
}  // namespace stretto
