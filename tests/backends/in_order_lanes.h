#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backends/body_executor.h"
#include "backends/in_order_subject.h"

namespace stretto {

/// One backend of each kind for all tests: a process has only so many lanes.
inline InOrderSubject* shared_subject(const InOrderSubjectMaker& maker) {
  static std::map<std::string, std::unique_ptr<InOrderSubject>> subjects;
  const auto [entry, is_new] = subjects.try_emplace(maker.name);
  if (is_new) entry->second = maker.make();
  return entry->second.get();
}

/// What every backend with in-order lanes must do is tested on each in `in_order_subjects()`: on some cells of memory,
/// each zero at first, and all of the backend's lanes that reach them.
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
      issue(*lanes_[0], subject_->store(cell(index), 0, std::chrono::microseconds(0)));
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
  /// The shortest wait of three: other programs on this machine may delay any single one, a lane that waits delays all.
  template <typename Attempt>
  static std::chrono::steady_clock::duration least_of_three(Attempt attempt) {
    return std::min({attempt(), attempt(), attempt()});
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

}  // namespace stretto
