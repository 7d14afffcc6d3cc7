// What launchers tell of their tasks while a timeline is recorded.

#include <algorithm>

#include "engine/launcher.h"
#include "engine/scheduler.h"
#include "engine/trace_source.h"

namespace stretto {

std::string Launcher::track_name(Device device, LaneRole role, std::size_t number) {
  const std::string name = to_string(device);
  switch (role) {
    case LaneRole::compute: return name + " stream " + std::to_string(number);
    case LaneRole::to_host: return name + " to host";
    case LaneRole::from_host: return name + " from host";
    case LaneRole::peer: return name + " to peer";
  }
  return name;
}

/// Before the task is issued; returns the moment. `no_time` when the recording has ended.
std::int64_t Launcher::trace_issue(const Task& task, LaneState& lane, const PointSet& memory_waits) {
  const bool is_traced = trace::enabled();
  if (lane.keeps_times != is_traced) lane.lane.keep_times(lane.keeps_times = is_traced);
  if (!is_traced) return trace::no_time;
  trace_reuse(task, memory_waits);
  return trace::now();
}

/// Before anybody learns that the task has ended. What was measured on the device is held between what the host saw: no
/// slice begins before its issue or before the one in front of it has ended, and what comes after it may begin now.
void Launcher::trace_retirement(const Task& task, Point point, LaneState& lane, std::int64_t issued,
                                const std::optional<WorkTimes>& times) {
  const std::int64_t seen = trace::now();
  const std::int64_t earliest = std::max(issued, lane.traced_until);
  const std::int64_t latest = std::max(earliest, seen);
  const std::int64_t ended = times ? std::clamp(times->ended, earliest, latest) : latest;
  std::int64_t started = times ? std::clamp(times->began, earliest, ended) : earliest;
  if ((task.state.load(std::memory_order_acquire) & Task::skipped) != 0) started = ended;
  lane.traced_until = ended;
  trace_failure(scheduler_, task);
  trace::record_retirement({.id = task.sequence,
                            .point = point.bits(),
                            .track = lane.track,
                            .issued = issued,
                            .started = started,
                            .ended = ended});
}

}  // namespace stretto
