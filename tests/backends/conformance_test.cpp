// What every backend with in-order lanes must do: their work, events and memory.

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

#include "backends/in_order_lanes.h"
#include "base/thread.h"

namespace stretto {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

TEST_P(InOrderLanes, ADeviceHasALaneForEachRole) {
  Backend& backend = subject_->backend();
  for (int device = 0; device < backend.device_count(); ++device) {
    std::set<LaneRole> roles;
    std::set<LaneId> ids;
    for (Lane* lane : backend.lanes(device)) {
      roles.insert(lane->role());
      EXPECT_TRUE(ids.insert(lane->id()).second) << "two lanes with one number";
      EXPECT_NE(lane->id(), 0);
    }
    EXPECT_EQ(roles.size(), static_cast<std::size_t>(lane_role_count));
    EXPECT_EQ(backend.workers(device), nullptr);
  }
}

TEST_P(InOrderLanes, DevicesDescribeThemselves) {
  Backend& backend = subject_->backend();
  for (int device = 0; device < backend.device_count(); ++device) {
    const DeviceDescription description = backend.describe(device);
    EXPECT_FALSE(description.name.empty());
    EXPECT_FALSE(description.detail.empty());
    EXPECT_GT(description.compute_units, 0);
    EXPECT_EQ(description.memory_bytes, backend.memory(device).capacity());
  }
}

TEST_P(InOrderLanes, WorkOfALaneIsDoneInOrder) {
  for (Lane* lane : lanes_) {
    issue(*lane, subject_->store(cell(0), 7, milliseconds(2)));
    std::uint64_t expected = 7;
    for (int i = 0; i < 200; ++i) {
      issue(*lane, subject_->store(cell(1), static_cast<std::uint64_t>(i), microseconds(0)));
      issue(*lane, subject_->fold(cell(0), cell(1)));
      expected = folded(expected, static_cast<std::uint64_t>(i));
    }
    finish(*lane);
    ASSERT_EQ(load(0), expected);
  }
}

TEST_P(InOrderLanes, AnEventIsCompleteOnlyAfterTheWorkBeforeIt) {
  Lane& lane = *lanes_[0];
  std::vector<Event*> events;
  for (int i = 0; i < 10; ++i) {
    issue(lane, subject_->store(cell(i), 100 + static_cast<std::uint64_t>(i), milliseconds(1)));
    events.push_back(lane.record());
  }
  for (int i = 0; i < 10; ++i) {
    await(*events[i]);
    ASSERT_EQ(load(i), 100 + static_cast<std::uint64_t>(i));
    ASSERT_TRUE(events[i]->complete()) << "complete is for ever";
  }
  for (Event* event : events) lane.release(event);
}

TEST_P(InOrderLanes, AnEventDoesNotWaitForTheWorkBehindIt) {
  Lane& lane = *lanes_[0];
  EXPECT_LT(least_of_three([&] {
              issue(lane, subject_->store(cell(0), 1, microseconds(0)));
              Event* event = lane.record();
              issue(lane, subject_->store(cell(1), 2, milliseconds(300)));
              const auto start = std::chrono::steady_clock::now();
              await(*event);
              const auto waited = std::chrono::steady_clock::now() - start;
              lane.release(event);
              finish(lane);
              return waited;
            }),
            milliseconds(250));
}

TEST_P(InOrderLanes, AnEventOfAnIdleLaneIsSoonComplete) {
  for (Lane* lane : lanes_) finish(*lane);
}

TEST_P(InOrderLanes, ALaneWaitsForTheEventOfAnother) {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& first = *lanes_[i];
    Lane& second = *lanes_[(i + 1) % lanes_.size()];
    issue(first, subject_->store(cell(0), 40 + i, milliseconds(2)));
    Event* event = first.record();
    second.wait(*event);
    issue(second, subject_->store(cell(1), 0, microseconds(0)));
    issue(second, subject_->fold(cell(1), cell(0)));
    finish(second);
    ASSERT_EQ(load(1), folded(0, 40 + i));
    ASSERT_TRUE(event->complete());
    first.release(event);
  }
}

TEST_P(InOrderLanes, AWaitIsForTheEventAndNotForTheEndOfTheLane) {
  Lane& first = *lanes_[0];
  Lane& second = *lanes_[1];
  EXPECT_LT(least_of_three([&] {
              issue(first, subject_->store(cell(0), 1, microseconds(0)));
              Event* event = first.record();
              issue(first, subject_->store(cell(1), 2, milliseconds(300)));
              second.wait(*event);
              issue(second, subject_->store(cell(2), 0, microseconds(0)));
              issue(second, subject_->fold(cell(2), cell(0)));
              const auto start = std::chrono::steady_clock::now();
              finish(second);
              const auto waited = std::chrono::steady_clock::now() - start;
              EXPECT_EQ(load(2), folded(0, 1));
              first.release(event);
              finish(first);
              return waited;
            }),
            milliseconds(250));
}

TEST_P(InOrderLanes, WaitingForOnesOwnEventOrADoneOneChangesNothing) {
  Lane& lane = *lanes_[0];
  issue(lane, subject_->store(cell(0), 5, milliseconds(1)));
  Event* event = lane.record();
  lane.wait(*event);
  issue(lane, subject_->fold(cell(0), cell(1)));
  await(*event);
  lanes_[1]->wait(*event);
  issue(*lanes_[1], subject_->store(cell(2), 6, microseconds(0)));
  finish(*lanes_[1]);
  finish(lane);
  EXPECT_EQ(load(0), folded(5, 0));
  EXPECT_EQ(load(2), 6U);
  lane.release(event);
}

TEST_P(InOrderLanes, AnEventMayBeReleasedWhileALaneWaitsForIt) {
  Lane& first = *lanes_[0];
  Lane& second = *lanes_[1];
  for (int round = 0; round < 20; ++round) {
    const std::uint64_t value = 1000 + static_cast<std::uint64_t>(round);
    issue(first, subject_->store(cell(0), value, microseconds(300)));
    Event* event = first.record();
    second.wait(*event);
    first.release(event);
    // Events of work that is long done: none may be taken for the one that is waited for.
    for (int i = 0; i < 3; ++i) {
      Event* other = lanes_[2]->record();
      lanes_[2]->release(other);
    }
    issue(second, subject_->store(cell(1), 0, microseconds(0)));
    issue(second, subject_->fold(cell(1), cell(0)));
    finish(second);
    ASSERT_EQ(load(1), folded(0, value));
  }
}

TEST_P(InOrderLanes, AnEventThatALaneWaitsForIsNotUsedAgain) {
  Lane& first = *lanes_[0];
  Lane& second = *lanes_[1];
  issue(second, subject_->store(cell(1), 3, milliseconds(20)));
  issue(first, subject_->store(cell(0), 2, milliseconds(1)));
  Event* event = first.record();
  second.wait(*event);
  await(*event);
  first.release(event);
  issue(second, subject_->fold(cell(1), cell(0)));
  Event* behind_second = second.record();
  // Were it the event that `second` has yet to look at, the two lanes would now wait for each other.
  first.wait(*behind_second);
  Event* behind_both = first.record();
  await(*behind_both);
  EXPECT_EQ(load(1), folded(3, 2));
  first.release(behind_both);
  second.release(behind_second);
}

TEST_P(InOrderLanes, EventsAreUsedAgain) {
  std::set<Event*> distinct;
  Lane& lane = *lanes_[0];
  for (int i = 0; i < 5000; ++i) {
    if (i % 10 == 0) issue(lane, subject_->store(cell(0), static_cast<std::uint64_t>(i), microseconds(0)));
    Event* event = lane.record();
    await(*event);
    distinct.insert(event);
    lane.release(event);
  }
  EXPECT_LT(distinct.size(), 100U);
  EXPECT_EQ(load(0), 4990U);
}

TEST_P(InOrderLanes, EventsTellWhenTheWorkBeforeThemRan) {
  // So much a moment measured on the device may be off.
  constexpr std::int64_t error = 100'000;
  Lane& first = *lanes_[0];
  Lane& second = *lanes_[1];
  for (int round = 0; round < 3; ++round) {
    first.keep_times(true);
    second.keep_times(true);
    const std::int64_t begin = nanoseconds_now();
    issue(first, subject_->store(cell(0), 1, milliseconds(3)));
    Event* one = first.record();
    second.wait(*one);
    issue(second, subject_->store(cell(1), 2, milliseconds(2)));
    Event* two = second.record();
    issue(second, subject_->store(cell(2), 3, milliseconds(1)));
    Event* three = second.record();
    await(*three);
    const std::int64_t end = nanoseconds_now();
    const std::optional<WorkTimes> of_one = one->times(), of_two = two->times(), of_three = three->times();
    ASSERT_TRUE(of_one && of_two && of_three);
    EXPECT_GE(of_one->began, begin - error);
    EXPECT_GE(of_one->ended - of_one->began, 3'000'000 - error);
    EXPECT_GE(of_two->began, of_one->ended - error) << "without what it waited for";
    EXPECT_GE(of_two->ended - of_two->began, 2'000'000 - error);
    EXPECT_GE(of_three->began, of_two->ended - error);
    EXPECT_LE(of_three->ended, end + error);
    first.keep_times(false);
    second.keep_times(false);
    first.release(one);
    second.release(two);
    second.release(three);
    finish(second);
  }
}

TEST_P(InOrderLanes, WorkThatThrowsDoesNotEndTheLane) {
  Lane& lane = *lanes_[0];
  testing::internal::CaptureStderr();
  issue(lane, [](KernelContext&) { throw std::runtime_error("this body fails"); });
  issue(lane, [](KernelContext&) { throw 42; });
  Event* event = lane.record();
  issue(lane, subject_->store(cell(0), 9, microseconds(0)));
  finish(lane);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(event->complete());
  EXPECT_EQ(load(0), 9U);
  EXPECT_NE(said.find("this body fails"), std::string::npos) << said;
  lane.release(event);
}

/// Random programs over all lanes: each piece of work waits for exactly the pieces whose cells it touches.
TEST_P(InOrderLanes, RandomProgramsGiveWhatTheSerialOrderGives) {
  struct Touch {
    Lane* lane = nullptr;
    Event* event = nullptr;
  };
  for (const unsigned seed : {1U, 2U, 3U}) {
    std::mt19937 random(seed);
    std::vector<std::uint64_t> expected(cell_count);
    std::vector<Touch> written(cell_count);
    std::vector<std::vector<Touch>> read(cell_count);
    std::vector<Touch> all;
    for (int index = 0; index < cell_count; ++index) {
      expected[index] = static_cast<std::uint64_t>(index);
      issue(*lanes_[0], subject_->store(cell(index), expected[index], microseconds(0)));
    }
    finish(*lanes_[0]);
    for (int step = 0; step < 400; ++step) {
      Lane& lane = *lanes_[random() % lanes_.size()];
      const int destination = static_cast<int>(random() % cell_count);
      const int source = static_cast<int>(random() % cell_count);
      for (const int index : {destination, source})
        if (written[index].event != nullptr) lane.wait(*written[index].event);
      for (const Touch& touch : read[destination]) lane.wait(*touch.event);
      issue(lane, subject_->fold(cell(destination), cell(source)));
      expected[destination] = folded(expected[destination], expected[source]);
      const Touch touch{&lane, lane.record()};
      written[destination] = touch;
      read[destination].clear();
      read[source].push_back(touch);
      all.push_back(touch);
    }
    for (const Touch& touch : all) await(*touch.event);
    for (int index = 0; index < cell_count; ++index) ASSERT_EQ(load(index), expected[index]) << "seed " << seed;
    for (const Touch& touch : all) touch.lane->release(touch.event);
  }
}

TEST_P(InOrderLanes, MemoryIsAlignedAndDistinct) {
  std::vector<std::byte*> blocks;
  for (int i = 0; i < 8; ++i) {
    std::byte* block = memory_->allocate(1000);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, 0U);
    for (std::byte* other : blocks) EXPECT_GE(std::max(block, other) - std::min(block, other), 1000);
    blocks.push_back(block);
  }
  for (std::byte* block : blocks) memory_->release(block, 1000);
}

TEST_P(InOrderLanes, MemoryThatIsNotThereIsRefused) {
  EXPECT_GT(memory_->capacity(), 0U);
  EXPECT_EQ(memory_->allocate(memory_->capacity() + 4096), nullptr);
  EXPECT_EQ(memory_->allocate(std::numeric_limits<std::size_t>::max()), nullptr);
  std::byte* const block = memory_->allocate(4096);
  EXPECT_NE(block, nullptr) << "a refusal must leave the device usable";
  memory_->release(block, 4096);
}

INSTANTIATE_TEST_SUITE_P(Backends, InOrderLanes, testing::ValuesIn(in_order_subjects()),
                         [](const auto& maker) { return maker.param.name; });

}  // namespace
}  // namespace stretto
