#pragma once

#include <cstddef>
#include <optional>

#include <stretto/report/cause.h>
#include <stretto/report/run.h>

#include "report/lane_order.h"

namespace stretto::report {

/// What a task needed before it could start, and when each of that was there.
struct Readiness {
  std::optional<std::size_t> dependency;       ///< The one that ended last.
  Cause dependency_cause = Cause::dependency;  ///< Memory, where only a block's reuse connects the two.
  Nanoseconds dependencies = 0;                ///< When all had ended; 0 without any.
  std::optional<std::size_t> lane;             ///< The task before it on its track.
  Nanoseconds lane_free = 0;                   ///< When that had ended; 0 without one.

  Nanoseconds ready() const { return dependencies > lane_free ? dependencies : lane_free; }
};

/// Looks only at tasks that `order` has before `task`, so that a walk from one to the next ends.
Readiness readiness(const Run& run, const LaneOrder& order, std::size_t task);

}  // namespace stretto::report
