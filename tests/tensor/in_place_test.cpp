#include <cmath>

#include "tensor/testing.h"

namespace stretto {
namespace {

class InPlaceOn : public OnEachDevice {};
INSTANTIATE_ON_EACH_DEVICE(InPlaceOn);

TEST_P(InPlaceOn, CombinesWithTensorsAndNumbers) {
  const Tensor x = counting({4}, device());
  x += 1;
  x *= from_vector<float>({1, 2, 3, 4}, device());
  x -= x.slice(0, 0, 1);
  x /= 2;
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 1.5, 4, 7.5}));
}

TEST_P(InPlaceOn, KeepsTheTypeOfTheLeftSide) {
  const Tensor small = filled<std::uint8_t>({3}, 250, device());
  small += 10;
  EXPECT_EQ(small.dtype(), DType::uint8);
  EXPECT_EQ(small.to_vector<std::uint8_t>(), repeated<std::uint8_t>(3, 4));

  const Tensor half = filled<Float16>({2}, Float16(1.0f), device());
  half += from_vector<double>({0.5, 1e-9}, device());
  EXPECT_EQ(half.dtype(), DType::float16);
  EXPECT_EQ(half.to(DType::float64).to_vector<double>(), (std::vector<double>{1.5, 1}));

  const Tensor whole = filled<std::int64_t>({2}, 5, device());
  whole *= filled<std::int32_t>({2}, 3, device());
  EXPECT_EQ(whole.to_vector<std::int64_t>(), repeated<std::int64_t>(2, 15));
}

TEST_P(InPlaceOn, WritesThroughViews) {
  const Tensor x = counting({2, 3}, device());
  x.select(1, 1) += 10;
  x[0] *= 2;
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 22, 4, 3, 14, 5}));
}

/// Earlier readers see the earlier values.
TEST_P(InPlaceOn, ReadersBeforeItSeeTheValuesBefore) {
  for (int round = 0; round < 50; ++round) {
    const Tensor x = slowly_filled({64}, 1, device(), round % 2);
    const Tensor before = x.clone();
    x += 1;
    const Tensor between = x.clone();
    x *= 10;
    EXPECT_EQ(before.to_vector<float>(), repeated<float>(64, 1));
    EXPECT_EQ(between.to_vector<float>(), repeated<float>(64, 2));
    EXPECT_EQ(x.to_vector<float>(), repeated<float>(64, 20));
  }
}

TEST(InPlace, NamesWhatDoesNotFit) {
  const Tensor whole = filled<std::int64_t>({2}, 5);
  EXPECT_FAILURE(whole += 0.5, DTypeError,
                 "[add_] the result is float32 and cannot be kept in a tensor of int64" + here());
  EXPECT_FAILURE(whole /= 2, DTypeError,
                 "[div_] the result is float32 and cannot be kept in a tensor of int64" + here());
  const Tensor flags = filled<bool>({2}, true);
  EXPECT_FAILURE(flags += 1, DTypeError, "[add_] the result is int64 and cannot be kept in a tensor of bool" + here());
  const std::string subtraction =
      "[sub_] bool cannot be subtracted: logical_xor tells what differs, logical_not inverts";
  EXPECT_FAILURE(flags -= flags, DTypeError, subtraction + here());
  EXPECT_FAILURE(whole -= flags, DTypeError, subtraction + here());
  EXPECT_FAILURE(whole -= true, DTypeError, subtraction + here());
  const Tensor bytes = filled<std::uint8_t>({2}, 5);
  EXPECT_FAILURE(bytes.fill_(256), DTypeError, "[fill_] 256 cannot be represented as uint8" + here());
  EXPECT_FAILURE(bytes.copy_(-1), DTypeError, "[copy_] -1 cannot be represented as uint8" + here());
  EXPECT_FAILURE(bytes[0] = 300, DTypeError, "[copy_] 300 cannot be represented as uint8" + here());
  EXPECT_FAILURE(bytes.slice(0, 1) = NAN, DTypeError, "[copy_] nan cannot be represented as uint8" + here());
  EXPECT_FAILURE(bytes += 18446744073709551615u, DTypeError,
                 "18446744073709551615 cannot be represented as int64" + here());
  EXPECT_FAILURE(whole += empty({3}, cpu(), DType::int64), ShapeError,
                 "[add_] shape (3,) cannot be broadcast to (2,)" + here());
  EXPECT_FAILURE(whole += filled<std::int64_t>({2}, 1, sim()), DeviceError,
                 "[add_] tensors are on different devices, cpu:0 and sim:0: move one with to(device)" + here());
  EXPECT_FAILURE(
      whole.expand({3, 2}) += 1, UsageError,
      "[add_] cannot write into a tensor whose elements share memory, as expand makes them: clone it first" + here());
}

}  // namespace
}  // namespace stretto
