#include <stretto/report/critical_path.h>

#include <algorithm>

#include "report/lane_order.h"
#include "report/readiness.h"

namespace stretto::report {
namespace {

/// Follows a run back in time.
class Walk {
 public:
  explicit Walk(const Run& run) : run_(run), order_(run), waits_(run.waits) {
    std::ranges::sort(waits_, {}, &Wait::end);
  }

  CriticalPath path() {
    std::optional<std::size_t> task;
    for (std::size_t index = 0; index < run_.tasks.size(); ++index) {
      if (!task || order_.is_before(*task, index)) task = index;
    }
    if (task) path_.rest = run_.end() - run_.tasks[*task].end;
    while (task) task = add(*task);
    std::ranges::reverse(path_.steps);
    add_up();
    return std::move(path_);
  }

 private:
  /// Adds the task and returns the one that it waited for.
  std::optional<std::size_t> add(std::size_t index) {
    const Task& task = run_.tasks[index];
    const Readiness readiness = report::readiness(run_, order_, index);
    path_.steps.push_back({index, task.start, task.end});
    path_.work += task.duration();
    if (task.submitted > readiness.ready() || (!readiness.lane && !readiness.dependency)) {
      path_.steps.back().gap = task.start - task.submitted;
      path_.steps.back().cause = Cause::launch_bound;
      return add_program(index);
    }
    const bool waited_for_lane = readiness.lane && readiness.lane_free > readiness.dependencies;
    path_.steps.back().gap = task.start - readiness.ready();
    path_.steps.back().cause = waited_for_lane ? Cause::busy_lane : readiness.dependency_cause;
    return waited_for_lane || !readiness.dependency ? readiness.lane : readiness.dependency;
  }

  /// Adds the program's way to the submission of a task and returns the task that the program had waited for.
  std::optional<std::size_t> add_program(std::size_t index) {
    const Nanoseconds submitted = run_.tasks[index].submitted;
    const auto place = std::ranges::upper_bound(waits_, submitted, {}, &Wait::end);
    std::optional<std::size_t> awaited;
    if (place != waits_.begin()) {
      const Wait& wait = *std::prev(place);
      awaited = wait.task && order_.is_before(*wait.task, index) && run_.tasks[*wait.task].end <= wait.end
                    ? wait.task
                    : order_.last_ended(wait.end, index);
      path_.steps.push_back({{}, wait.end, submitted, 0, cause_named(wait.cause)});
      if (awaited) path_.steps.back().gap = wait.end - run_.tasks[*awaited].end;
    } else {
      path_.steps.push_back({{}, run_.begin(), submitted, 0, Cause::launch_bound});
    }
    path_.program += path_.steps.back().end - path_.steps.back().start;
    return awaited;
  }

  void add_up() {
    if (path_.steps.empty()) return;
    path_.rest += path_.steps.front().start - run_.begin();
    path_.steps.front().gap = 0;
    for (const Step& step : path_.steps) path_.gaps[static_cast<std::size_t>(step.cause)] += step.gap;
  }

  const Run& run_;
  const LaneOrder order_;
  std::vector<Wait> waits_;  ///< By their ends.
  CriticalPath path_;
};

}  // namespace

CriticalPath critical_path(const Run& run) { return Walk(run).path(); }

}  // namespace stretto::report
