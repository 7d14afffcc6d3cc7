// What every backend that records work must do: nothing of it while it is recorded, and all of it at each launch.

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "backends/in_order_lanes.h"

namespace stretto {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

class RecordingLanes : public InOrderLanes {
 protected:
  void SetUp() override {
    InOrderLanes::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (!subject_->backend().records()) GTEST_SKIP() << "this backend records nothing";
    recorder_ = subject_->backend().recorder(0, 0);
    for (Lane* const lane : subject_->backend().lanes(0))
      if (lane->role() == LaneRole::compute) computing_.push_back(lane);
  }

  Lane& recording(std::size_t number) const { return *recorder_->lanes()[number]; }
  std::unique_ptr<RecordedWork> end_recording() const {
    std::unique_ptr<RecordedWork> recorded = recorder_->end();
    EXPECT_NE(recorded, nullptr) << recorder_->problem();
    EXPECT_EQ(recorded->prepare(), "");
    return recorded;
  }
  void launch_and_finish(RecordedWork& recorded) {
    recorded.launch(computing_);
    finish(*computing_[0]);
    recorded.take_failures([](std::size_t, const std::exception_ptr&) { ADD_FAILURE() << "a piece of work failed"; });
  }

  WorkRecorder* recorder_ = nullptr;
  std::vector<Lane*> computing_;
};

TEST_P(RecordingLanes, NothingIsDoneUntilTheLaunchAndAllOfItAtEach) {
  recorder_->begin();
  issue(recording(0), subject_->store(cell(0), 5, microseconds(0)));
  issue(recording(0), subject_->fold(cell(1), cell(0)));
  issue(recording(0), subject_->fold(cell(1), cell(0)));
  const auto recorded = end_recording();
  for (Lane* const lane : lanes_) finish(*lane);
  EXPECT_EQ(load(0), 0u);
  std::uint64_t expected = 0;
  for (int i = 0; i < 3; ++i) {
    launch_and_finish(*recorded);
    expected = folded(folded(expected, 5), 5);
    ASSERT_EQ(load(1), expected);
  }
}

TEST_P(RecordingLanes, BranchesComeBehindWhatTheyWaitForAndAreWaitedFor) {
  recorder_->begin();
  issue(recording(0), subject_->store(cell(0), 7, milliseconds(2)));
  Event* const start = recording(0).record();
  std::vector<Event*> ends;
  for (std::size_t branch = 1; branch < recorder_lanes; ++branch) {
    recording(branch).wait(*start);
    const int own = static_cast<int>(branch);
    issue(recording(branch), subject_->store(cell(own), 0, microseconds(500)));
    issue(recording(branch), subject_->fold(cell(own), cell(0)));
    ends.push_back(recording(branch).record());
  }
  issue(recording(0), subject_->store(cell(20), 0, microseconds(0)));
  for (Event* const end : ends) recording(0).wait(*end);
  for (int own = 1; own < recorder_lanes; ++own) issue(recording(0), subject_->fold(cell(20), cell(own)));
  recording(0).release(start);
  for (std::size_t branch = 1; branch < recorder_lanes; ++branch) recording(branch).release(ends[branch - 1]);
  const auto recorded = end_recording();
  std::uint64_t expected = 0;
  for (int own = 1; own < recorder_lanes; ++own) expected = folded(expected, folded(0, 7));
  for (int i = 0; i < 2; ++i) {
    issue(*computing_[0], subject_->store(cell(20), 1, microseconds(0)));
    launch_and_finish(*recorded);
    ASSERT_EQ(load(20), expected);
  }
}

TEST_P(RecordingLanes, ALaunchKeepsTheOrderOfItsLane) {
  recorder_->begin();
  issue(recording(0), subject_->fold(cell(0), cell(1)));
  const auto recorded = end_recording();
  issue(*computing_[0], subject_->store(cell(1), 3, milliseconds(2)));
  recorded->launch(computing_);
  issue(*computing_[0], subject_->store(cell(1), 100, microseconds(0)));
  finish(*computing_[0]);
  recorded->take_failures([](std::size_t, const std::exception_ptr&) {});
  EXPECT_EQ(load(0), folded(0, 3));
  EXPECT_EQ(load(1), 100u);
}

TEST_P(RecordingLanes, WhatDifferentRecordersRecordedRunsSideBySide) {
  constexpr int launches = 20;
  std::vector<std::unique_ptr<RecordedWork>> recorded;
  for (int number = 0; number < recorder_count; ++number) {
    recorder_ = subject_->backend().recorder(0, number);
    recorder_->begin();
    for (int i = 0; i < 10; ++i) issue(recording(0), subject_->fold(cell(number), cell(10)));
    recorded.push_back(end_recording());
  }
  for (int i = 0; i < launches; ++i) {
    for (std::size_t number = 0; number < recorded.size(); ++number)
      recorded[number]->launch(std::span(computing_).subspan(number % computing_.size(), 1));
    for (Lane* const lane : computing_) finish(*lane);
    for (const auto& one : recorded)
      one->take_failures([](std::size_t, const std::exception_ptr&) { ADD_FAILURE() << "a piece of work failed"; });
  }
  std::uint64_t expected = 0;
  for (int i = 0; i < 10 * launches; ++i) expected = folded(expected, 0);
  for (int number = 0; number < recorder_count; ++number) EXPECT_EQ(load(number), expected);
}

INSTANTIATE_TEST_SUITE_P(Backends, RecordingLanes, testing::ValuesIn(in_order_subjects()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace stretto
