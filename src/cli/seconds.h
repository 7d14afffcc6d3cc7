#pragma once

#include <chrono>
#include <utility>

namespace stretto::cli {

/// Seconds that `work()` takes; whether it waits for its results is its own affair.
template <typename Work>
double seconds_of(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  std::forward<Work>(work)();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace stretto::cli
