#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stretto/report/run.h>

namespace stretto::report {

/// The lane of each track of the run: what does the work of it. The workers of a CPU device are one lane, "cpu:0", that
/// does as many things at once as it has workers. Streams of a device whose kernels never ran at the same time are one,
/// "cuda:0 streams", which does one thing at a time: its kernels fill the device. Any other track is a lane by itself.
STRETTO_API std::vector<std::string> lanes(const Run& run);

/// How busy one track of a run was.
struct TrackUse {
  std::size_t track;  ///< Index into the run's tracks.
  std::string lane;   ///< See `lanes`.
  std::size_t tasks;
  Nanoseconds busy;  ///< In which a task ran there.
};

/// Of each track that ran a task, in the order of the tracks.
STRETTO_API std::vector<TrackUse> track_use(const Run& run);

/// What a lane did, and the shortest time in which its tracks could have done it.
struct LaneWork {
  std::string lane;
  int tracks;  ///< How much it does at once: workers of a CPU device; else 1.
  Nanoseconds busy;

  Nanoseconds shortest() const { return tracks > 0 ? busy / tracks : busy; }
};

/// Of each lane that ran a task, in the order of the tracks. A CPU device counts the workers that the recording says it
/// has, also those that ran nothing.
STRETTO_API std::vector<LaneWork> lane_work(const Run& run);

}  // namespace stretto::report
