#include "report/readiness.h"

#include <algorithm>

namespace stretto::report {

Readiness readiness(const Run& run, const LaneOrder& order, std::size_t task) {
  Readiness result;
  const Nanoseconds start = run.tasks[task].start;
  for (const Edge& edge : run.tasks[task].after) {
    if (!order.is_before(edge.from, task)) continue;
    if (result.dependency && order.is_before(edge.from, *result.dependency)) continue;
    const bool is_same = result.dependency == edge.from;
    const Cause cause = edge.hazard == Hazard::reuse ? Cause::memory : Cause::dependency;
    // Two tasks may be connected twice; the person's own dependency says more than the memory's.
    result.dependency_cause = is_same && result.dependency_cause == Cause::dependency ? Cause::dependency : cause;
    result.dependency = edge.from;
  }
  // Clocks of two devices differ a little: what was waited for had ended when the task started.
  if (result.dependency) result.dependencies = std::min(start, run.tasks[*result.dependency].end);
  result.lane = order.previous(task);
  if (result.lane) result.lane_free = run.tasks[*result.lane].end;
  return result;
}

}  // namespace stretto::report
