#include <algorithm>
#include <memory>

#include "tensor/testing.h"

namespace stretto {
namespace {

class MovementFrom : public OnEachDevice {};
INSTANTIATE_ON_EACH_DEVICE(MovementFrom);

TEST_P(MovementFrom, ToTheSameDeviceIsTheSameHandle) {
  const Tensor x = counting({4}, device());
  EXPECT_EQ(x.to(device()).implementation(), x.implementation());
  EXPECT_EQ(x.to(DType::float32).implementation(), x.implementation());
  EXPECT_EQ(x.contiguous().implementation(), x.implementation());
  EXPECT_NE(x.clone().implementation(), x.implementation());
}

/// Case D3: views keep their elements in every direction.
TEST_P(MovementFrom, D3ViewsKeepTheirElementsInEveryDirection) {
  for (const Device target : devices()) {
    const Tensor x = counting<std::int64_t>({2, 2, 2}, device());
    const Tensor column = x.slice(2, 1, 2).squeeze(2).to(target);
    EXPECT_EQ(column.device(), target);
    EXPECT_EQ(column.shape(), Shape({2, 2}));
    EXPECT_EQ(column.to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 3, 5, 7}));

    const Tensor wide = filled<float>({8, 10}, 0, target);
    wide.slice(1, 0, 6).copy_(filled<float>({8, 6}, 1, device()));
    const std::vector<float> values = wide.to_vector<float>();
    for (int i = 0; i < 80; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], i % 10 < 6 ? 1.0f : 0.0f) << i;
  }
}

/// Case D5.
TEST_P(MovementFrom, D5EmptyTensorsKeepTheirShape) {
  for (const Device target : devices()) {
    const Tensor x = empty({0, 3}, device()).to(target).to(device());
    EXPECT_EQ(x.shape(), Shape({0, 3}));
    EXPECT_EQ(x.to_vector<float>(), std::vector<float>());
  }
}

/// Case O1: a copy holds what its source held at the copy, whatever is written later.
TEST_P(MovementFrom, O1LaterWritesDoNotReachTheCopy) {
  constexpr std::int64_t count = 1 << 18;
  for (const Device target : devices()) {
    if (target == device()) continue;
    for (int round = 0; round < 10; ++round) {
      const Tensor x = filled<float>({count}, 1, device());
      const Tensor y = x.to(target);
      x[count - 1] = -1;
      const Tensor z = x.to(target);
      y[0] = 5;
      const std::vector<float> before = y.to_vector<float>();
      const std::vector<float> after = z.to_vector<float>();
      EXPECT_EQ(before.back(), 1);
      EXPECT_EQ(after.back(), -1);
      EXPECT_EQ(after.front(), 1);
      EXPECT_EQ(before.front(), 5);
    }
  }
}

/// Case L1: sources are dropped at once.
TEST_P(MovementFrom, L1SourcesMayBeDroppedAtOnce) {
  std::vector<Tensor> moved;
  for (std::int64_t i = 0; i < 50; ++i) {
    const Device target = devices()[static_cast<std::size_t>(i) % devices().size()];
    moved.push_back(counting({i + 1, 7}, device()).t().to(target));
  }
  for (std::int64_t i = 0; i < 50; ++i) {
    const std::vector<float> values = moved[static_cast<std::size_t>(i)].to_vector<float>();
    ASSERT_EQ(static_cast<std::int64_t>(values.size()), 7 * (i + 1));
    for (std::int64_t k = 0; k < 7 * (i + 1); ++k)
      ASSERT_EQ(values[static_cast<std::size_t>(k)], static_cast<float>(k % (i + 1) * 7 + k / (i + 1)));
  }
}

/// Case O2: one host buffer feeds the devices in turn.
TEST_P(MovementFrom, O2OneBufferFeedsManyCopies) {
  constexpr std::int64_t count = 1000;
  const std::vector<Device> targets = devices();
  const Tensor in = empty({count}, device());
  std::vector<Tensor> results;
  for (int k = 0; k < 100; ++k) {
    in.fill_(k);
    if (k % 25 == 0) {
      task("hold up", device()).read_write(in).run([](TaskContext&) { sleep_for_milliseconds(5); });
    }
    const Tensor there = in.to(targets[static_cast<std::size_t>(k) % targets.size()]);
    Tensor total = empty({1}, there.device());
    task("sum", there.device()).read(there).write(total).run([](TaskContext& context) {
      const auto* values = context.data<const float>(0);
      float sum = 0;
      for (std::int64_t i = 0; i < count; ++i) sum += values[i];
      *context.data<float>(1) = sum;
    });
    results.push_back(total);
    // The same handle: written again before the sum has read it.
    if (there.device() == device()) {
      EXPECT_EQ(there.implementation(), in.implementation());
    }
  }
  for (int k = 0; k < 100; ++k)
    EXPECT_EQ(results[static_cast<std::size_t>(k)].item<float>(), static_cast<float>(k * count));
}

/// Case L3: host memory is used again at once.
TEST_P(MovementFrom, L3HostMemoryIsUsedAgainAtOnce) {
  constexpr std::int64_t count = 5000;
  std::vector<Tensor> there;
  for (int i = 0; i < 50; ++i) {
    Tensor here = filled<float>({count}, static_cast<float>(i));
    there.push_back(here.to(device()));
    here = Tensor();
    const Tensor other = filled<float>({count}, -1);
  }
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(there[static_cast<std::size_t>(i)].to_vector<float>(), repeated(count, static_cast<float>(i)));
}

TEST_P(MovementFrom, CopyBroadcastsCastsAndMoves) {
  for (const Device target : devices()) {
    const Tensor x = empty({2, 3}, target, DType::int32);
    x.copy_(counting<double>({3}, device()));
    EXPECT_EQ(x.to_vector<std::int32_t>(), (std::vector<std::int32_t>{0, 1, 2, 0, 1, 2}));
    x.t().copy_(counting<std::uint8_t>({3, 2}, device()));
    EXPECT_EQ(x.to_vector<std::int32_t>(), (std::vector<std::int32_t>{0, 2, 4, 1, 3, 5}));
    x.copy_(7.9);
    EXPECT_EQ(x.to_vector<std::int32_t>(), repeated<std::int32_t>(6, 7));
  }
}

TEST_P(MovementFrom, ConvertsTypes) {
  const Tensor x = from_vector<float>({-1.5, 0, 2.75}, device());
  EXPECT_EQ(x.to(DType::int64).to_vector<std::int64_t>(), (std::vector<std::int64_t>{-1, 0, 2}));
  EXPECT_EQ(x.to(DType::bool_).to_vector<bool>(), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(x.to(DType::float64).to_vector<double>(), (std::vector<double>{-1.5, 0, 2.75}));
  EXPECT_EQ(x.t().to(DType::float16).to(DType::float32).to_vector<float>(), x.to_vector<float>());
}

TEST_P(MovementFrom, FillsEveryTypeAndLayout) {
  for (const DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16, DType::int32, DType::int64,
                            DType::uint8, DType::bool_}) {
    const Tensor x = empty({3, 4}, device(), dtype);
    x.zero_();
    x.t().slice(0, 1, 4, 2).fill_(1);
    const std::vector<double> values = x.to(DType::float64).to_vector<double>();
    EXPECT_EQ(values, (std::vector<double>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1})) << name(dtype);
  }
}

TEST(Movement, NamesWhatDoesNotFit) {
  const Tensor x = empty({2, 3});
  EXPECT_FAILURE(x.to(Device(DeviceKind::cpu, 9)), DeviceError,
                 "[to] there is no device cpu:9; this process has cpu:0, cpu:1, sim:0, sim:1" + here());
  EXPECT_FAILURE(x.copy_(empty({2})), ShapeError, "[copy_] shape (2,) cannot be broadcast to (2,3)" + here());
  EXPECT_FAILURE(x.copy_(empty({2}, sim())), ShapeError, "[copy_] shape (2,) cannot be broadcast to (2,3)" + here());
  EXPECT_FAILURE(
      x.expand({4, 2, 3}).fill_(0), UsageError,
      "[fill_] cannot write into a tensor whose elements share memory, as expand makes them: clone it first" + here());
}

}  // namespace
}  // namespace stretto
