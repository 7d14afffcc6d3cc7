#include "cli/check/shrinker.h"

#include <algorithm>
#include <chrono>

#include "cli/check/program_model.h"

namespace stretto::cli {

Program shrink(const Program& program, double seconds, const std::function<bool(const Program&)>& fails) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  Program smallest = program;
  std::size_t length = std::max<std::size_t>(smallest.statements.size() / 2, 1);
  for (;;) {
    bool dropped = false;
    // From the end: what comes last is needed by nothing.
    for (std::size_t stop = smallest.statements.size(); stop > 0; stop = stop > length ? stop - length : 0) {
      if (std::chrono::steady_clock::now() >= end) return smallest;
      stop = std::min(stop, smallest.statements.size());
      const std::size_t start = stop > length ? stop - length : 0;
      Program smaller = smallest;
      smaller.statements.erase(smaller.statements.begin() + static_cast<std::ptrdiff_t>(start),
                               smaller.statements.begin() + static_cast<std::ptrdiff_t>(stop));
      smaller = repaired(smaller);
      if (smaller.statements.size() == smallest.statements.size() || !fails(smaller)) continue;
      smallest = smaller;
      dropped = true;
    }
    if (length > 1) {
      length = (length + 1) / 2;
    } else if (!dropped) {
      return smallest;
    }
  }
}

}  // namespace stretto::cli
