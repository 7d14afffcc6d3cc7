// What every backend with in-order lanes must do: copies to and from the host, and to other devices.

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <vector>

#include "backends/in_order_lanes.h"
#include "kernels/kernel.h"

namespace stretto {
namespace {

using std::chrono::microseconds;

/// The bytes of a copy by the backend's own kernel, which is how the engine copies.
InOrderSubject::Body copy_body(DeviceKind kind, std::byte* to, const std::byte* from, std::size_t bytes) {
  return [=](KernelContext& context) {
    const auto count = static_cast<std::int64_t>(bytes);
    constexpr std::int64_t stride = 1;
    const auto array = [&](std::byte* data) {
      return Array{.data = data, .shape = &count, .strides = &stride, .dtype = DType::uint8, .rank = 1};
    };
    const Array output = array(to), input = array(const_cast<std::byte*>(from));
    const Parameters parameters{};
    kernel_row("transfer").find(kind)({{&output, 1}, {&input, 1}, parameters}, context);
  };
}

class InOrderCopies : public InOrderLanes {
 protected:
  Lane& lane(LaneRole role, int device = 0) {
    for (Lane* lane : subject_->backend().lanes(device))
      if (lane->role() == role) return *lane;
    throw std::runtime_error("a role without a lane");
  }
  void copy(Lane& lane, std::byte* to, const std::byte* from, std::size_t bytes) {
    issue(lane, copy_body(subject_->backend().kind(), to, from, bytes));
  }
  /// `second` goes on behind what was issued to `first`.
  static void follow(Lane& second, Lane& first) {
    Event* event = first.record();
    second.wait(*event);
    first.release(event);
  }
  static std::vector<std::byte> numbered(std::size_t bytes) {
    std::vector<std::byte> values(bytes);
    for (std::size_t i = 0; i < bytes; ++i) values[i] = static_cast<std::byte>(i * 131 % 251);
    return values;
  }
};

TEST_P(InOrderCopies, ReachOrdinaryMemoryOfTheHost) {
  constexpr std::size_t chunk = std::size_t{4} << 20;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{1000}, chunk - 1, chunk, chunk + 1, 5 * chunk + 3}) {
    const std::vector<std::byte> source = numbered(bytes);
    std::vector<std::byte> result(bytes);
    std::byte* const there = memory_->allocate(bytes);
    ASSERT_NE(there, nullptr);
    copy(lane(LaneRole::from_host), there, source.data(), bytes);
    follow(lane(LaneRole::to_host), lane(LaneRole::from_host));
    copy(lane(LaneRole::to_host), result.data(), there, bytes);
    finish(lane(LaneRole::to_host));
    EXPECT_EQ(result, source) << bytes;
    memory_->release(there, bytes);
  }
}

TEST_P(InOrderCopies, OfManyPiecesKeepTheirOrder) {
  // Each result goes into the same place of the host as the one before it, by turns in both directions.
  constexpr std::size_t bytes = (std::size_t{1} << 20) + 7;
  std::byte* const there = memory_->allocate(bytes);
  std::vector<std::byte> host = numbered(bytes);
  std::vector<std::byte> expected = host;
  for (int round = 0; round < 20; ++round) {
    copy(lane(LaneRole::from_host), there, host.data(), bytes);
    follow(lane(LaneRole::compute), lane(LaneRole::from_host));
    const auto value = static_cast<std::uint64_t>(round + 1000);
    issue(lane(LaneRole::compute), subject_->store(there + 64 * round, value, microseconds(100)));
    std::memcpy(expected.data() + 64 * round, &value, sizeof(value));
    follow(lane(LaneRole::to_host), lane(LaneRole::compute));
    copy(lane(LaneRole::to_host), host.data(), there, bytes);
    follow(lane(LaneRole::from_host), lane(LaneRole::to_host));
  }
  finish(lane(LaneRole::from_host));
  EXPECT_EQ(host, expected);
  memory_->release(there, bytes);
}

TEST_P(InOrderCopies, ReachLockedPages) {
  constexpr std::size_t bytes = std::size_t{9} << 20;
  std::vector<std::byte> source = numbered(bytes), result(bytes);
  Backend& backend = subject_->backend();
  if (!backend.lock_pages(source.data(), bytes)) GTEST_SKIP() << "this backend locks no pages";
  ASSERT_TRUE(backend.lock_pages(result.data(), bytes));
  std::byte* const there = memory_->allocate(bytes);
  copy(lane(LaneRole::from_host), there, source.data(), bytes);
  follow(lane(LaneRole::to_host), lane(LaneRole::from_host));
  copy(lane(LaneRole::to_host), result.data(), there, bytes);
  finish(lane(LaneRole::to_host));
  backend.unlock_pages(source.data(), bytes);
  backend.unlock_pages(result.data(), bytes);
  EXPECT_EQ(result, source);
  memory_->release(there, bytes);
}

TEST_P(InOrderCopies, ReachOtherDevices) {
  Backend& backend = subject_->backend();
  if (backend.device_count() < 2) GTEST_SKIP() << "there is one device";
  constexpr std::size_t bytes = (std::size_t{9} << 20) + 5;
  const std::vector<std::byte> source = numbered(bytes);
  std::vector<std::byte> result(bytes);
  MemorySource& other = backend.memory(1);
  std::byte* const here = memory_->allocate(bytes);
  std::byte* const there = other.allocate(bytes);
  ASSERT_NE(here, nullptr);
  ASSERT_NE(there, nullptr);
  copy(lane(LaneRole::from_host), here, source.data(), bytes);
  follow(lane(LaneRole::peer), lane(LaneRole::from_host));
  copy(lane(LaneRole::peer), there, here, bytes);
  follow(lane(LaneRole::to_host, 1), lane(LaneRole::peer));
  copy(lane(LaneRole::to_host, 1), result.data(), there, bytes);
  finish(lane(LaneRole::to_host, 1));
  EXPECT_EQ(result, source);
  memory_->release(here, bytes);
  other.release(there, bytes);
}

INSTANTIATE_TEST_SUITE_P(Backends, InOrderCopies, testing::ValuesIn(in_order_subjects()),
                         [](const auto& maker) { return maker.param.name; });

}  // namespace
}  // namespace stretto
