#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "backend/lane.h"

namespace stretto {

/// A piece of work of an in-order lane that a timeline is told of.
struct TracedWork {
  std::int64_t issued;
  std::optional<WorkTimes> times;  ///< Where the device timed it, or it is estimated.
  bool is_estimated = false;
};

/// Gives those that have no times what lies between their neighbours, in equal parts, but none from before it was
/// issued. `works` in the order of their lane; what came before them had ended at `until`, and what comes after them
/// began at `bound`. In nanoseconds.
void estimate_times(std::span<TracedWork> works, std::int64_t until, std::int64_t bound);

}  // namespace stretto
