// What every backend with in-order lanes must do. Each test runs on every backend in `in_order_subjects()`.

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "backends/body_executor.h"
#include "backends/in_order_subject.h"
#include "kernels/kernel.h"

namespace stretto {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// One backend of each kind for all tests: a process has only so many lanes.
InOrderSubject* shared_subject(const InOrderSubjectMaker& maker) {
  static std::map<std::string, std::unique_ptr<InOrderSubject>> subjects;
  const auto [entry, is_new] = subjects.try_emplace(maker.name);
  if (is_new) entry->second = maker.make();
  return entry->second.get();
}

class InOrderLanes : public testing::TestWithParam<InOrderSubjectMaker> {
 protected:
  void SetUp() override {
    subject_ = shared_subject(GetParam());
    if (subject_ == nullptr) GTEST_SKIP() << "this machine has no device of the kind";
    for (int device = 0; device < subject_->backend().device_count(); ++device) {
      if (!subject_->reaches_cells(device)) continue;
      for (Lane* lane : subject_->backend().lanes(device)) lanes_.push_back(lane);
    }
    memory_ = &subject_->backend().memory(0);
    cells_ = memory_->allocate(cell_count * cell_bytes);
    ASSERT_NE(cells_, nullptr);
    for (int index = 0; index < cell_count; ++index)
      issue(*lanes_[0], subject_->store(cell(index), 0, microseconds(0)));
    finish(*lanes_[0]);
  }
  void TearDown() override {
    if (subject_ == nullptr) return;
    for (Lane* lane : lanes_) finish(*lane);
    memory_->release(cells_, cell_count * cell_bytes);
  }

  std::byte* cell(int index) const { return cells_ + index * static_cast<std::ptrdiff_t>(cell_bytes); }
  std::uint64_t load(int index) { return subject_->load(cell(index)); }

  void issue(Lane& lane, InOrderSubject::Body body) {
    work_.emplace_back().body = std::move(body);
    lane.issue(work_.back(), executor_);
  }
  static void await(Event& event) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!event.complete()) {
      if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("an event never completes");
      std::this_thread::yield();
    }
  }
  static void finish(Lane& lane) {
    Event* event = lane.record();
    await(*event);
    lane.release(event);
  }
  static std::uint64_t folded(std::uint64_t destination, std::uint64_t source) { return 31 * destination + source + 1; }

  static constexpr int cell_count = 32;
  static constexpr std::size_t cell_bytes = 64;

  BodyExecutor executor_;
  std::deque<BodyWork> work_;
  InOrderSubject* subject_ = nullptr;
  std::vector<Lane*> lanes_;
  MemorySource* memory_ = nullptr;
  std::byte* cells_ = nullptr;
};

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
  issue(lane, subject_->store(cell(0), 1, microseconds(0)));
  Event* event = lane.record();
  issue(lane, subject_->store(cell(1), 2, milliseconds(300)));
  const auto start = std::chrono::steady_clock::now();
  await(*event);
  EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(250));
  lane.release(event);
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
  issue(first, subject_->store(cell(0), 1, microseconds(0)));
  Event* event = first.record();
  issue(first, subject_->store(cell(1), 2, milliseconds(300)));
  second.wait(*event);
  issue(second, subject_->fold(cell(2), cell(0)));
  const auto start = std::chrono::steady_clock::now();
  finish(second);
  EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(250));
  EXPECT_EQ(load(2), folded(0, 1));
  first.release(event);
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

/// Devices that are lost: each test has a subject of its own.
class LostDevice : public InOrderLanes {
 protected:
  void SetUp() override {
    own_ = GetParam().make();
    subject_ = own_.get();
    if (subject_ == nullptr) GTEST_SKIP() << "this machine has no device of the kind";
    memory_ = &subject_->backend().memory(0);
    cells_ = memory_->allocate(cell_count * cell_bytes);
  }
  void TearDown() override {}
  Lane& lane(int device, std::size_t number) { return *subject_->backend().lanes(device)[number]; }

  std::unique_ptr<InOrderSubject> own_;
};

TEST_P(LostDevice, SaysWhyAndEveryEventIsSoonComplete) {
  Lane& working = lane(0, 0);
  issue(working, subject_->store(cell(0), 1, microseconds(0)));
  Event* done = working.record();
  await(*done);
  std::vector<std::pair<Lane*, Event*>> events;
  for (int i = 0; i < 20; ++i) {
    Lane& used = lane(0, static_cast<std::size_t>(i) % 2);
    issue(used, subject_->store(cell(i), 1, milliseconds(2)));
    events.emplace_back(&used, used.record());
  }
  ASSERT_EQ(subject_->backend().loss(0), "");
  if (!subject_->lose(0)) GTEST_SKIP() << "this subject cannot lose a device";
  for (int i = 0; i < 5; ++i) {
    Lane& used = lane(0, static_cast<std::size_t>(i));
    used.wait(*events[0].second);
    issue(used, subject_->store(cell(i), 2, microseconds(0)));
    events.emplace_back(&used, used.record());
  }
  for (auto [used, event] : events) await(*event);
  EXPECT_NE(subject_->backend().loss(0), "");
  EXPECT_EQ(done->failure(), nullptr) << "what was done before stays so";
  for (std::size_t i = events.size() - 5; i < events.size(); ++i) EXPECT_NE(events[i].second->failure(), nullptr);
  working.release(done);
  for (auto [used, event] : events) used->release(event);
}

TEST_P(LostDevice, OthersGoOnAndMayWaitForItsEvents) {
  if (subject_->backend().device_count() < 2) GTEST_SKIP() << "there is one device";
  std::byte* const other = subject_->backend().memory(1).allocate(64);
  issue(lane(0, 0), subject_->store(cell(0), 1, milliseconds(20)));
  if (!subject_->lose(0)) GTEST_SKIP() << "this subject cannot lose a device";
  issue(lane(0, 0), subject_->store(cell(0), 2, microseconds(0)));
  Event* lost = lane(0, 0).record();
  lane(1, 0).wait(*lost);
  issue(lane(1, 0), subject_->store(other, 77, microseconds(0)));
  Event* behind = lane(1, 0).record();
  await(*behind);
  EXPECT_EQ(behind->failure(), nullptr);
  EXPECT_EQ(subject_->backend().loss(1), "");
  EXPECT_EQ(subject_->load(other), 77U);
  lane(0, 0).release(lost);
  lane(1, 0).release(behind);
}

TEST_P(LostDevice, ItsEventsStillComeAfterWhatTheyWaitFor) {
  if (subject_->backend().device_count() < 2) GTEST_SKIP() << "there is one device";
  std::byte* const other = subject_->backend().memory(1).allocate(64);
  if (!subject_->lose(0)) GTEST_SKIP() << "this subject cannot lose a device";
  issue(lane(1, 0), subject_->store(other, 5, milliseconds(50)));
  Event* before = lane(1, 0).record();
  lane(0, 0).wait(*before);
  issue(lane(0, 0), subject_->store(cell(0), 2, microseconds(0)));
  Event* lost = lane(0, 0).record();
  await(*lost);
  EXPECT_TRUE(before->complete());
  lane(1, 0).release(before);
  lane(0, 0).release(lost);
}

INSTANTIATE_TEST_SUITE_P(Backends, LostDevice, testing::ValuesIn(in_order_subjects()),
                         [](const auto& maker) { return maker.param.name; });

INSTANTIATE_TEST_SUITE_P(Backends, InOrderLanes, testing::ValuesIn(in_order_subjects()),
                         [](const auto& maker) { return maker.param.name; });

}  // namespace
}  // namespace stretto
