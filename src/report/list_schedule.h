#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stretto/report/run.h>

namespace stretto::report {

/// A task as another machine runs it.
struct ScheduledTask {
  std::string lane;          ///< The workers of a CPU device share one.
  Nanoseconds duration = 0;  ///< There.
};

/// Runs the tasks of `run` on lanes, each task as soon as it can, and returns the run with their new times and tracks.
/// The lane of a CPU device, named as the device, has as many workers as `workers` says; other lanes run one task at a
/// time, in the recorded order. Throws FileError where the recording contradicts itself, so that a task never becomes
/// ready.
Run list_schedule(const Run& run, const std::vector<ScheduledTask>& tasks, int workers);

}  // namespace stretto::report
