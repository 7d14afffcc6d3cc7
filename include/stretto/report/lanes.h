#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stretto/report/run.h>

namespace stretto::report {

/// How busy one track of a run was.
struct TrackUse {
  std::size_t track;  ///< Index into the run's tracks.
  std::string lane;   ///< The workers of a CPU device share one, "cpu:0"; any other track is a lane by itself.
  std::size_t tasks;
  Nanoseconds busy;  ///< In which a task ran there.
};

/// Of each track that ran a task, in the order of the tracks.
STRETTO_API std::vector<TrackUse> track_use(const Run& run);

/// The lane of a track: "cpu:0" for "cpu:0 worker 1".
STRETTO_API std::string lane_of(std::string_view track);

/// What a lane did, and the shortest time in which its tracks could have done it.
struct LaneWork {
  std::string lane;
  int tracks;  ///< Workers of a CPU device; else 1.
  Nanoseconds busy;

  Nanoseconds shortest() const { return tracks > 0 ? busy / tracks : busy; }
};

/// Of each lane that ran a task, in the order of the tracks. A CPU device counts the workers that the recording says it
/// has, also those that ran nothing.
STRETTO_API std::vector<LaneWork> lane_work(const Run& run);

}  // namespace stretto::report
