#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "backend/recorded_work.h"

namespace stretto {

/// Keeps works, and has a device's lanes carry them out anew at each launch, in the order in which they were issued.
class SimRecorder final : public WorkRecorder {
 public:
  SimRecorder();
  ~SimRecorder() override;

  std::span<Lane* const> lanes() const override { return lanes_; }
  void begin() override;
  std::unique_ptr<RecordedWork> end() override;

 private:
  class Recorded;
  class RecordingLane;
  struct Mark;

  std::vector<std::unique_ptr<RecordingLane>> own_lanes_;
  std::vector<Lane*> lanes_;
  std::deque<Mark> marks_;
  std::unique_ptr<Recorded> recorded_;
};

}  // namespace stretto
