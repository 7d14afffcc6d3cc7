#include "backends/sim/sim_recorder.h"

#include <utility>

namespace stretto {

/// An event while it is recorded: its number.
struct SimRecorder::Mark final : Event {
  explicit Mark(std::size_t which) : number(which) {}
  bool complete() override { return false; }
  const std::size_t number;
};

class SimRecorder::Recorded final : public RecordedWork {
 public:
  std::string prepare() override { return {}; }

  void launch(std::span<Lane* const> lanes) override {
    std::vector<Placed> events;
    for (const Command& command : commands_) {
      // Each lane keeps the order of what was recorded, so none waits for what comes behind it.
      Lane& lane = *lanes[command.lane % lanes.size()];
      if (command.work != nullptr) {
        lane.issue(*command.work, *command.executor);
        behind_works_.push_back({&lane, lane.record()});
      } else if (!command.is_wait) {
        events.push_back({&lane, lane.record()});
      } else if (const Placed& awaited = events[command.event]; awaited.lane != &lane) {
        lane.wait(*awaited.event);
      }
    }
    for (const Placed& one : events) one.lane->release(one.event);
  }

  void take_failures(FunctionRef<void(std::size_t, const std::exception_ptr&)> visit) override {
    for (std::size_t number = 0; number < behind_works_.size(); ++number) {
      const Placed& one = behind_works_[number];
      if (const std::exception_ptr failure = one.event->failure()) visit(number, failure);
      one.lane->release(one.event);
    }
    behind_works_.clear();
  }

  void add_work(std::size_t lane, Work& work, Executor& executor) {
    commands_.push_back({.lane = lane, .work = &work, .executor = &executor});
  }
  void add_event(std::size_t lane) { commands_.push_back({.lane = lane}); }
  void add_wait(std::size_t lane, std::size_t event) {
    commands_.push_back({.lane = lane, .is_wait = true, .event = event});
  }

 private:
  /// Work, an event, or a wait for one.
  struct Command {
    std::size_t lane;
    Work* work = nullptr;
    Executor* executor = nullptr;
    bool is_wait = false;
    std::size_t event = 0;
  };
  struct Placed {
    Lane* lane;
    Event* event;
  };

  std::vector<Command> commands_;
  std::vector<Placed> behind_works_;  ///< Of the last launch.
};

class SimRecorder::RecordingLane final : public Lane {
 public:
  RecordingLane(SimRecorder& owner, std::size_t number) : Lane(WithoutNumber()), owner_(owner), number_(number) {}

  LaneRole role() const override { return LaneRole::compute; }
  void issue(Work& work, Executor& executor) override { owner_.recorded_->add_work(number_, work, executor); }
  Event* record() override {
    owner_.recorded_->add_event(number_);
    return &owner_.marks_.emplace_back(owner_.marks_.size());
  }
  void wait(Event& event) override { owner_.recorded_->add_wait(number_, static_cast<Mark&>(event).number); }
  void release(Event* /*event*/) override {}

 private:
  SimRecorder& owner_;
  const std::size_t number_;
};

SimRecorder::SimRecorder() {
  for (std::size_t number = 0; number < recorder_lanes; ++number) {
    own_lanes_.push_back(std::make_unique<RecordingLane>(*this, number));
    lanes_.push_back(own_lanes_.back().get());
  }
}

SimRecorder::~SimRecorder() = default;

void SimRecorder::begin() {
  marks_.clear();
  recorded_ = std::make_unique<Recorded>();
}

std::unique_ptr<RecordedWork> SimRecorder::end() { return std::move(recorded_); }

}  // namespace stretto
