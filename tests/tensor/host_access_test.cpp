#include <array>
#include <memory>

#include "tensor/testing.h"

namespace stretto {
namespace {

class HostAccessOn : public OnEachDevice {};
INSTANTIATE_ON_EACH_DEVICE(HostAccessOn);

TEST_P(HostAccessOn, ItemConverts) {
  const Tensor x = from_vector<float>({2.75}, device());
  EXPECT_EQ(x.item<float>(), 2.75f);
  EXPECT_EQ(x.item<double>(), 2.75);
  EXPECT_EQ(x.item<std::int64_t>(), 2);
  EXPECT_EQ(x.item<bool>(), true);
  EXPECT_EQ(x[0].item().dtype(), DType::float64);
  EXPECT_EQ(filled<bool>({1, 1}, true, device()).item<std::int32_t>(), 1);
  EXPECT_EQ(filled<Float16>({}, Float16(0.5f), device()).item<float>(), 0.5f);
  EXPECT_EQ(counting({3, 3}, device())[1][2].item<float>(), 5.0f);
}

TEST_P(HostAccessOn, ReadsWaitForTheTensorAlone) {
  if (serial_engine()) GTEST_SKIP() << "the serial engine never overlaps";
  Gate gate;
  const Tensor slow = empty({1}, device());
  task("slow", device()).write(slow).run([gate](TaskContext& context) {
    *context.data<float>(0) = gate.pass() ? 1.0f : 0.0f;
  });
  for (const Device other : devices()) {
    if (other == device()) continue;
    EXPECT_EQ(filled<float>({1}, 2, other).item<float>(), 2.0f);
  }
  gate.open();
  EXPECT_EQ(slow.item<float>(), 1.0f);
}

TEST_P(HostAccessOn, WaitReturnsWhenTheValueIsThere) {
  for (int round = 0; round < 20; ++round) {
    const auto written = std::make_shared<std::atomic<bool>>(false);
    const Tensor x = empty({1}, device());
    task("flag", device()).write(x).run([written, round](TaskContext& context) {
      sleep_for_milliseconds(round % 3);
      *context.data<float>(0) = 1;
      written->store(true);
    });
    x.wait();
    EXPECT_TRUE(written->load());
  }
}

TEST_P(HostAccessOn, SnapshotIsNotReachedByLaterWrites) {
  const Tensor x = counting({2, 2}, device());
  const HostSnapshot<float> before = x.host<float>();
  x.fill_(9);
  const HostSnapshot<float> after = x.t().host<float>();
  EXPECT_EQ(std::vector<float>(before.begin(), before.end()), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(std::vector<float>(after.begin(), after.end()), repeated<float>(4, 9));
  EXPECT_EQ(before.shape(), Shape({2, 2}));
  EXPECT_EQ(before.size(), 4u);
  EXPECT_EQ(before[3], 3);
  EXPECT_EQ(before.span().data(), before.data());
}

TEST_P(HostAccessOn, SnapshotOutlivesTheTensor) {
  const HostSnapshot<float> values = counting({5}, device()).to(cpu()).host<float>();
  wait_all();
  EXPECT_EQ(std::vector<float>(values.begin(), values.end()), (std::vector<float>{0, 1, 2, 3, 4}));
}

TEST(HostAccess, ATemporaryThatOwnsItsStorageIsTakenOver) {
  Tensor x = counting({8});
  const float* memory = x.host<float>().data();
  x.wait();
  Tensor alone = counting({8});
  const Tensor view = alone.slice(0);
  EXPECT_NE(std::move(alone).host<float>().data(), view.to_vector<float>().data());
  view.fill_(1);
  EXPECT_EQ(view.to_vector<float>(), repeated<float>(8, 1));
  EXPECT_NE(memory, std::move(x).host<float>().data());
}

TEST_P(HostAccessOn, HostWriteIsOrdered) {
  const Tensor x = counting({3, 2}, device());
  const Tensor before = x.clone();
  x.host_write<float>([](std::span<float> values) {
    sleep_for_milliseconds(5);
    for (float& value : values) value *= 2;
  });
  const Tensor after = x.clone();
  x.t().host_write<float>([](std::span<float> values) { values[1] = -1; });
  x += 1;
  EXPECT_EQ(before.to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(after.to_vector<float>(), (std::vector<float>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 3, 0, 7, 9, 11}));
}

TEST_P(HostAccessOn, FromHostCopiesAtTheCall) {
  std::array<std::int64_t, 3> values = {1, 2, 3};
  const Tensor x = from_host(values, {3}, device());
  const Tensor y = from_host(values.data() + 1, {2, 1}, device());
  values.fill(0);
  EXPECT_EQ(x.to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(y.to_vector<std::int64_t>(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(from_vector<bool>({true, false}, device()).to_vector<bool>(), (std::vector<bool>{true, false}));
  EXPECT_EQ(from_vector<double>({}, {0, 4}, device()).shape(), Shape({0, 4}));
}

TEST(HostAccess, BorrowUsesTheMemoryAsItIs) {
  auto memory = std::make_shared<std::vector<float>>(repeated<float>(4, 1));
  const std::weak_ptr<std::vector<float>> kept = memory;
  float* values = memory->data();
  Tensor x = borrow(std::span(values, 4), {2, 2}, std::move(memory));
  x[1] = 5;
  x.wait();
  EXPECT_EQ(std::vector<float>(values, values + 4), (std::vector<float>{1, 1, 5, 5}));
  EXPECT_EQ(x.host<float>()[2], 5.0f);
  task("slow reader", cpu()).read(x).run([](TaskContext&) { sleep_for_milliseconds(20); });
  x = Tensor();
  if (!serial_engine()) {
    EXPECT_FALSE(kept.expired());
  }
  wait_all();
  EXPECT_TRUE(kept.expired());
}

TEST(HostAccess, ASnapshotOfBorrowedMemoryIsACopy) {
  std::vector<float> memory = {1, 2};
  const HostSnapshot<float> snapshot = borrow(std::span<float>(memory), {2}, nullptr).host<float>();
  memory[0] = 7;
  EXPECT_EQ(snapshot[0], 1);
}

TEST(HostAccess, NamesWhatDoesNotFit) {
  const Tensor x = counting({2, 3});
  EXPECT_FAILURE(x.item<float>(), ShapeError, "[item] a tensor of shape (2,3) is not a single number" + here());
  EXPECT_FAILURE(empty({0}).item<float>(), ShapeError, "[item] a tensor of shape (0,) is not a single number" + here());
  EXPECT_FAILURE(filled<float>({1}, 300).item<std::uint8_t>(), DTypeError,
                 "[item] 300 cannot be represented as uint8" + here());
  EXPECT_FAILURE(x.to_vector<double>(), DTypeError,
                 "[to_vector] the tensor is float32, not float64: convert it with to(dtype)" + here());
  EXPECT_FAILURE(x.host<std::int64_t>(), DTypeError,
                 "[host] the tensor is float32, not int64: convert it with to(dtype)" + here());
  EXPECT_FAILURE(x.host_write<double>([](std::span<double>) {}), DTypeError,
                 "[host_write] the tensor is float32, not float64: convert it with to(dtype)" + here());
  EXPECT_FAILURE(
      x.expand({2, 2, 3}).host_write<float>([](std::span<float>) {}), UsageError,
      "[host_write] cannot write into a tensor whose elements share memory, as expand makes them: clone it first" +
          here());
  EXPECT_FAILURE(from_vector<float>({1, 2}, {3}), ShapeError,
                 "[from_vector] 2 values do not fill shape (3,), which has 3 elements" + here());
  EXPECT_FAILURE(from_host(std::array<float, 2>{}, {3}), ShapeError,
                 "[from_host] 2 values do not fill shape (3,), which has 3 elements" + here());
  EXPECT_FAILURE(from_vector<float>({1, 2}, Device(DeviceKind::sim, 5)), DeviceError,
                 "[from_vector] there is no device sim:5; this process has cpu:0, cpu:1, sim:0, sim:1" + here());
  std::vector<float> memory(4);
  EXPECT_FAILURE(borrow(std::span<float>(memory), {5}, nullptr), ShapeError,
                 "[borrow] 4 values do not fill shape (5,), which has 5 elements" + here());
  EXPECT_FAILURE(borrow(std::span<float>(memory), {4}, nullptr, sim()), DeviceError,
                 "[borrow] memory of the host can be borrowed for CPU devices, not for sim:0: copy it there with "
                 "to(device)" +
                     here());
  EXPECT_FAILURE(empty({1 << 30, 1 << 30, 4}), ShapeError,
                 "[empty] (1073741824,1073741824,4) float32 has more bytes than 63 bits can count" + here());
  EXPECT_FAILURE(empty({2}, Device(DeviceKind::cpu, 7)), DeviceError,
                 "[empty] there is no device cpu:7; this process has cpu:0, cpu:1, sim:0, sim:1" + here());
}

}  // namespace
}  // namespace stretto
