#include <stretto/report/lanes.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/intervals.h"

namespace stretto::report {

std::vector<std::string> lanes(const Run& run) {
  std::vector<std::string> result = run.tracks;
  // Of each device that is no CPU its tracks that compute, and when they did.
  struct Streams {
    std::set<std::size_t> tracks;
    Intervals all;
    Nanoseconds sum = 0;
  };
  std::map<std::string, Streams> devices;
  for (const Task& task : run.tasks) {
    if (is_copy(task.role) || run.tracks[task.track].find(" stream ") == std::string::npos) continue;
    Streams& streams = devices[task.device];
    streams.tracks.insert(task.track);
    streams.all.add(task.start, task.end);
    streams.sum += task.duration();
  }
  for (const auto& [device, streams] : devices) {
    // One kernel may begin a little before another has ended, by the clock that is read.
    const Nanoseconds at_once = streams.sum - streams.all.total();
    if (streams.tracks.size() < 2 || at_once > streams.sum / 50) continue;
    for (const std::size_t track : streams.tracks) result[track] = device + " streams";
  }
  for (std::string& lane : result) {
    // A worker's number may be missing where a spare thread took its place.
    if (const std::size_t worker = lane.find(" worker"); worker != std::string::npos) lane.resize(worker);
  }
  return result;
}

std::vector<TrackUse> track_use(const Run& run) {
  std::vector<Intervals> busy(run.tracks.size());
  std::vector<std::size_t> tasks(run.tracks.size());
  for (const Task& task : run.tasks) {
    busy[task.track].add(task.start, task.end);
    ++tasks[task.track];
  }
  const std::vector<std::string> lanes = report::lanes(run);
  std::vector<TrackUse> uses;
  for (std::size_t track = 0; track < run.tracks.size(); ++track) {
    if (tasks[track] > 0) uses.push_back({track, lanes[track], tasks[track], busy[track].total()});
  }
  return uses;
}

std::vector<LaneWork> lane_work(const Run& run) {
  std::vector<LaneWork> lanes;
  for (const TrackUse& use : track_use(run)) {
    const auto known = std::ranges::find(lanes, use.lane, &LaneWork::lane);
    const bool is_pool = run.tracks[use.track].starts_with(use.lane + " worker");
    if (known == lanes.end()) {
      lanes.push_back({use.lane, 1, use.busy});
    } else {
      if (is_pool) ++known->tracks;
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
