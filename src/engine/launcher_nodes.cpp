// How a launcher issues the nodes of a replay.

#include <stretto/base/error.h>

#include "engine/lane_replay.h"
#include "engine/launcher.h"
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

void Launcher::issue_nodes(LaneReplay& replay, LaneState& first) {
  std::vector<LaneReplay::Marked>& marked = replay.marked();
  marked.clear();
  if (!replay.begin_nodes()) return;
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
  return lost;
}

}  // namespace stretto
