#include <stretto/report/overlap.h>

#include <algorithm>

#include "report/intervals.h"

namespace stretto::report {

double Overlap::ratio() const {
  return larger_part() == 0 ? 0 : static_cast<double>(total) / static_cast<double>(larger_part());
}

double Overlap::hidden() const {
  const Nanoseconds smaller = std::min(compute, copies);
  return smaller == 0 ? 0 : static_cast<double>(both) / static_cast<double>(smaller);
}

Overlap overlap(const Run& run) {
  Intervals compute, copies;
  for (const Task& task : run.tasks) (is_copy(task.role) ? copies : compute).add(task.start, task.end);
  return {compute.total(), copies.total(), compute.shared_with(copies), run.end() - run.begin()};
}

}  // namespace stretto::report
