#pragma once

#include <cstdint>
#include <utility>

#include <stretto/base/schedule.h>

namespace stretto::cli {

/// Seconds that `work()` takes, by the clock that the runtime goes by; whether it waits for its results is its own
/// affair.
template <typename Work>
double seconds_of(Work&& work) {
  const std::int64_t start = schedule_now();
  std::forward<Work>(work)();
  return static_cast<double>(schedule_now() - start) * 1e-9;
}

}  // namespace stretto::cli
