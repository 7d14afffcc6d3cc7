#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <stretto/report/cause.h>
#include <stretto/report/run.h>

namespace stretto::report {

/// A part of the critical path: a task, or a stretch in which the program itself went on and submitted.
struct Step {
  std::optional<std::size_t> task;  ///< Index into the run's tasks; none for the program.
  Nanoseconds start = 0;
  Nanoseconds end = 0;
  Nanoseconds gap = 0;  ///< Since the end of the step before, or since the run's begin.
  /// Why the step did not begin earlier: what it waited for is the step before. Of the first step it says nothing.
  Cause cause = Cause::launch_bound;
};

/// What decided how long a run took: followed back from its last task, always to what ended last of that which the task
/// had to wait for: a dependency, the task before it on its lane, or its submission by the program, which in turn may
/// have waited for a task.
struct CriticalPath {
  std::vector<Step> steps;                      ///< In the order of time.
  Nanoseconds work = 0;                         ///< In its tasks.
  Nanoseconds program = 0;                      ///< In the program's own steps.
  std::array<Nanoseconds, cause_count> gaps{};  ///< Between its steps, by cause.
  Nanoseconds rest = 0;                         ///< Before its first step and behind its last.
  // work + program + gaps + rest is what the run took, except that a task may start before what it waits for has ended
  // by the clock of another device.
};

STRETTO_API CriticalPath critical_path(const Run& run);

}  // namespace stretto::report
