// How a launcher issues the nodes of a replay.

#include <stretto/base/error.h>

#include "engine/lane_replay.h"
#include "engine/launcher.h"
#include "engine/repeats.h"
#include "engine/scheduler.h"

namespace stretto {

std::span<Task* const> Launcher::holds_of(const Task& task) { return LaneReplay::of(task).holds(); }

/// The streams of a replay are counted from the one that it begins on.
Launcher::LaneState& Launcher::stream(const LaneState& first, std::uint32_t number) {
  auto& lanes = lanes_[static_cast<std::size_t>(LaneRole::compute)];
  std::size_t at = 0;
  while (lanes[at].get() != &first) ++at;
  return *lanes[(at + number) % lanes.size()];
}

/// Returns an event behind all of it.
Event* Launcher::issue_replay(LaneReplay& replay, LaneState& lane, Point point) {
  replay.marked().clear();
  if (!replay.begin_nodes() || launch_recorded(replay, lane, point)) return lane.lane.record();
  issue_nodes(replay, lane);
  Event* const behind = lane.lane.record();
  // Only now: what is recorded has been done once, so libraries have what they need.
  if (replay.wants_recording()) record_nodes(replay);
  return behind;
}

bool Launcher::launch_recorded(LaneReplay& replay, LaneState& first, Point point) {
  RecordedSegment* const recorded = replay.choose_recorded();
  if (recorded == nullptr) return false;
  if (recorded->work->uses_recorder()) {
    Point& last = launched_of_recorder_[static_cast<std::size_t>(replay.recorder_number())];
    wait_for(first, last);
    last = point;
  }
  std::vector<Lane*> lanes;
  const auto streams = static_cast<std::uint32_t>(stream_count());
  for (std::uint32_t number = 0; number < streams; ++number) lanes.push_back(&stream(first, number).lane);
  recorded->work->launch(lanes);
  recorded_launches_.fetch_add(1, std::memory_order_relaxed);
  if (replay.was_found()) scheduler_.repeats()->note_launched();
  return true;
}

void Launcher::add_recorded(LaneReplay& replay) {
  const MutexLock lock(recorded_mutex_);
  recorded_.push_back(&replay);
}

void Launcher::remove_recorded(LaneReplay& replay) {
  const MutexLock lock(recorded_mutex_);
  std::erase(recorded_, &replay);
}

/// What was recorded takes memory of the device beside the pool.
void Launcher::forget_recorded() {
  const MutexLock lock(recorded_mutex_);
  for (LaneReplay* const replay : recorded_) replay->forget_recorded();
}

/// The same as `issue_nodes`, to the lanes of a recorder.
void Launcher::record_nodes(LaneReplay& replay) {
  WorkRecorder& recorder = *device_.backend->recorder(device_.device.index(), replay.recorder_number());
  const std::span<Lane* const> lanes = recorder.lanes();
  const SegmentPlan& plan = replay.branches();
  const auto branches = static_cast<std::uint32_t>(plan.last_nodes.size());
  std::vector<bool> is_awaited(plan.steps.size());
  for (const std::uint32_t node : plan.waited_for) is_awaited[node] = true;
  for (std::uint32_t branch = 1; branch < branches; ++branch) is_awaited[plan.last_nodes[branch]] = true;
  std::vector<Event*> events(plan.steps.size());
  recorder.begin();
  replay.begin_recording();
  Event* const start = branches > 1 ? lanes[0]->record() : nullptr;
  for (std::uint32_t branch = 1; branch < branches; ++branch) lanes[branch]->wait(*start);
  for (std::uint32_t node = 0; node < plan.steps.size(); ++node) {
    const SegmentPlan::Step& step = plan.steps[node];
    Lane& lane = *lanes[step.stream];
    for (const std::uint32_t before : plan.waits(step)) lane.wait(*events[before]);
    lane.issue(replay.node(node), replay.recorded_executor());
    if (is_awaited[node]) events[node] = lane.record();
  }
  for (std::uint32_t branch = 1; branch < branches; ++branch) lanes[0]->wait(*events[plan.last_nodes[branch]]);
  if (start != nullptr) lanes[0]->release(start);
  for (std::uint32_t node = 0; node < plan.steps.size(); ++node)
    if (events[node] != nullptr) lanes[plan.steps[node].stream]->release(events[node]);
  if (std::shared_ptr<RecordedSegment> recorded = replay.end_recording(recorder))
    preparer_.prepare(std::move(recorded));
}

void Launcher::issue_nodes(LaneReplay& replay, LaneState& first) {
  std::vector<LaneReplay::Marked>& marked = replay.marked();
  const SegmentPlan& plan = replay.plan();
  const auto streams = static_cast<std::uint32_t>(plan.last_nodes.size());
  std::vector<LaneState*> lanes;
  for (std::uint32_t number = 0; number < streams; ++number) lanes.push_back(&stream(first, number));
  const auto count = static_cast<std::uint32_t>(plan.steps.size());
  for (LaneState* const lane : lanes) take_back(*lane);
  // The other streams begin when the first one has waited for all that comes before.
  Event* const start = streams > 1 ? first.lane.record() : nullptr;
  for (std::uint32_t number = 1; number < streams; ++number) lanes[number]->lane.wait(*start);
  for (std::uint32_t node = 0; node < count; ++node) {
    const SegmentPlan::Step& step = plan.steps[node];
    Lane& lane = lanes[step.stream]->lane;
    for (const std::uint32_t before : plan.waits(step)) lane.wait(*marked[before].event);
    ThreadControl::step();
    lane.issue(replay.node(node), replay.executor());
    // What a node reports is found by the event directly behind it.
    marked.push_back({.node = node, .stream = step.stream, .event = lane.record()});
    lanes[step.stream]->load.fetch_add(1, std::memory_order_relaxed);
  }
  for (std::uint32_t number = 1; number < streams; ++number) first.lane.wait(*marked[plan.last_nodes[number]].event);
  if (start != nullptr) marked.push_back({.node = LaneReplay::no_node, .stream = 0, .event = start});
}

/// Once all nodes are done: what they report, and their events back to their lanes. Returns what says that the device
/// was lost, if it was.
std::exception_ptr Launcher::take_marked(LaneReplay& replay, LaneState& first) {
  std::exception_ptr lost;
  const bool is_lost = !device_.backend->loss(device_.device.index()).empty();
  for (const LaneReplay::Marked& one : replay.marked()) {
    LaneState& lane = stream(first, one.stream);
    if (const std::exception_ptr failure = one.event->failure()) [[unlikely]] {
      if (is_lost) {
        lost = failure;
      } else {
        replay.node_failed(one.node, failure);
      }
    }
    if (one.node != LaneReplay::no_node) lane.load.fetch_sub(1, std::memory_order_relaxed);
    const MutexLock lock(lane.mutex);
    lane.retired_events.push_back(one.event);
  }
  if (RecordedSegment* const launched = replay.launched())
    launched->work->take_failures([&](std::size_t node, const std::exception_ptr& failure) {
      if (is_lost) {
        lost = failure;
      } else {
        replay.node_failed(static_cast<std::uint32_t>(node), failure);
      }
    });
  return lost;
}

}  // namespace stretto
