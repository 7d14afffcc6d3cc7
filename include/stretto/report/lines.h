#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stretto/report/run.h>

namespace stretto::report {

/// What one line of the person's program cost.
struct LineTime {
  std::string line;  ///< "program.cpp:12"; empty for tasks and waits without one.
  std::string name;  ///< Of its tasks, or "matmul, relu" when they have several names.
  std::size_t tasks = 0;
  Nanoseconds busy = 0;    ///< In which its tasks ran, all lanes together; what a task ran inside another is its own.
  Nanoseconds waited = 0;  ///< In which threads of the program stood still there.
  std::uint64_t bytes = 0;
};

/// Of each line, the most time first.
STRETTO_API std::vector<LineTime> time_by_line(const Run& run);

}  // namespace stretto::report
