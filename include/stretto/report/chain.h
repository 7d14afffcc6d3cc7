#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stretto/report/run.h>

namespace stretto::report {

/// Tasks each of which comes after the one before it.
struct Chain {
  std::vector<std::size_t> tasks;  ///< Indices into the run's tasks, first to last.
  Nanoseconds length = 0;          ///< What they take, one after the other with nothing between them.
};

/// The chain of dependencies that takes longest: no machine with these durations is faster.
STRETTO_API Chain longest_chain(const Run& run);

/// What a run could not have been faster than, with the durations that its tasks had.
struct STRETTO_API Bound {
  std::string busiest;    ///< The lane with the most work for each of its tracks.
  Nanoseconds work = 0;   ///< Of the busiest lane, spread evenly over its tracks.
  Nanoseconds chain = 0;  ///< Of the longest chain of dependencies.
  Nanoseconds total = 0;  ///< What the run took.

  Nanoseconds bound() const { return work > chain ? work : chain; }
  /// Total against the bound, 1 at best; 0 for a run without work.
  double ratio() const;
};

STRETTO_API Bound bound(const Run& run);

}  // namespace stretto::report
