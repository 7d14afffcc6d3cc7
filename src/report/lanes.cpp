#include <stretto/report/lanes.h>

#include <algorithm>

#include "report/intervals.h"

namespace stretto::report {

std::string lane_of(std::string_view track) {
  // A worker's number may be missing where a spare thread took its place.
  const std::size_t worker = track.find(" worker");
  return std::string(track.substr(0, worker));
}

std::vector<TrackUse> track_use(const Run& run) {
  std::vector<Intervals> busy(run.tracks.size());
  std::vector<std::size_t> tasks(run.tracks.size());
  for (const Task& task : run.tasks) {
    busy[task.track].add(task.start, task.end);
    ++tasks[task.track];
  }
  std::vector<TrackUse> uses;
  for (std::size_t track = 0; track < run.tracks.size(); ++track) {
    if (tasks[track] > 0) uses.push_back({track, lane_of(run.tracks[track]), tasks[track], busy[track].total()});
  }
  return uses;
}

std::vector<LaneWork> lane_work(const Run& run) {
  std::vector<LaneWork> lanes;
  for (const TrackUse& use : track_use(run)) {
    const auto known = std::ranges::find(lanes, use.lane, &LaneWork::lane);
    if (known == lanes.end()) {
      lanes.push_back({use.lane, 1, use.busy});
    } else {
      ++known->tracks;
      known->busy += use.busy;
    }
  }
  for (LaneWork& lane : lanes) {
    const auto device = std::ranges::find(run.devices, lane.lane, &RecordedDevice::name);
    if (device != run.devices.end()) lane.tracks = std::max(lane.tracks, device->workers);
  }
  return lanes;
}

}  // namespace stretto::report
