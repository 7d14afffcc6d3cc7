// What every backend with in-order lanes must do when a device is lost.

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "backends/in_order_lanes.h"

namespace stretto {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

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

}  // namespace
}  // namespace stretto
