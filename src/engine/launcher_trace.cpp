// What launchers tell of their tasks while a timeline is recorded.

#include <algorithm>
#include <array>

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

/// When the next task began that is done, has not retired and was timed; the present where there is none.
std::int64_t Launcher::next_begin(LaneState& lane) {
  const MutexLock lock(lane.mutex);
  for (std::size_t i = 0; i < lane.issued.size(); ++i) {
    const Issued& next = lane.issued[i];
    if (next.point.sequence() > lane.done_until) break;
    if (next.traced_from == trace::no_time) continue;
    if (const std::optional<WorkTimes> times = next.event->times()) return times->began;
  }
  return trace::now();
}

/// Where the device did not time all of them: a lane leaves out short work alone, so its neighbours are not far.
void Launcher::estimate_times(std::span<Retired> retired, LaneState& lane) {
  std::array<TracedWork, most_at_once> works;
  std::size_t count = 0;
  for (const Retired& one : retired)
    if (one.is_traced()) works[count++] = one.traced;
  stretto::estimate_times(std::span(works).first(count), lane.traced_until, next_begin(lane));
  count = 0;
  for (Retired& one : retired)
    if (one.is_traced()) one.traced = works[count++];
}

/// Before anybody learns that the task has ended. What was measured on the device is held between what the host saw: no
/// slice begins before its issue or before the one in front of it has ended, and what comes after it may begin now.
void Launcher::trace_retirement(const Retired& retired, LaneState& lane) {
  const Task& task = *retired.task;
  const std::int64_t earliest = std::max(retired.traced.issued, lane.traced_until);
  const std::int64_t latest = std::max(earliest, trace::now());
  const WorkTimes times = retired.traced.times.value_or(WorkTimes{earliest, latest});
  const std::int64_t ended = std::clamp(times.ended, earliest, latest);
  std::int64_t started = std::clamp(times.began, earliest, ended);
  if ((task.state.load(std::memory_order_acquire) & Task::skipped) != 0) started = ended;
  lane.traced_until = ended;
  trace_failure(scheduler_, task);
  trace::record_retirement({.id = task.sequence,
                            .point = retired.point.bits(),
                            .track = lane.track,
                            .is_estimated = retired.traced.is_estimated,
                            .issued = retired.traced.issued,
                            .started = started,
                            .ended = ended});
}

}  // namespace stretto
