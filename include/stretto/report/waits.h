#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stretto/report/cause.h>
#include <stretto/report/run.h>

namespace stretto::report {

/// Tasks of one name and line, or waits of the program at one line, that waited for one reason.
struct WaitGroup {
  Cause cause = Cause::dependency;
  std::string name;  ///< Of the tasks that waited, or of the program's wait: "wait for matmul".
  std::string line;
  std::size_t count = 0;
  Nanoseconds longest = 0;
  Nanoseconds total = 0;            ///< Of all of them; they may have waited at the same time.
  std::optional<std::size_t> task;  ///< Which waited longest; none for the program.
  std::optional<std::size_t> on;    ///< The task it waited for then, where that is known.
  std::string where;                ///< The lane it waited for; of a launch-bound task the one that stood idle.
  std::string advice;               ///< One sentence: what would help.
};

/// What waited, the longest first, `count` groups at most. A task waits from its submission: for what it depends on,
/// then for its lane, then to be launched. Where everything was ready before its submission, its lane waited for it.
/// Waits shorter than a microsecond are left out.
STRETTO_API std::vector<WaitGroup> largest_waits(const Run& run, std::size_t count = 10);

}  // namespace stretto::report
