#include <fmt/format.h>
#include <stretto/report/what_if.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/report/critical_path.h>
#include <stretto/report/lanes.h>

#include "report/list_schedule.h"
#include "report/placement.h"

namespace stretto::report {
namespace {

Nanoseconds duration_on(const Task& task, const Machine& machine) {
  const auto recorded = static_cast<double>(task.duration());
  if (!is_copy(task.role)) return std::llround(recorded / machine.compute);
  // A GB/s is a byte a nanosecond; what is read is written again.
  if (machine.link && task.bytes > 0) return std::llround(static_cast<double>(task.bytes) / 2 / *machine.link);
  return task.duration();
}

/// The lane of a task that moves from its device to another: the one that is called alike there.
std::string lane_on(const std::string& lane, const Task& task, const std::string& device) {
  return lane.starts_with(task.device) ? device + lane.substr(task.device.size()) : lane;
}

int workers_of(const Run& run) {
  int workers = 0;
  for (const RecordedDevice& device : run.devices) workers = std::max(workers, device.workers);
  if (workers > 0) return workers;
  for (const LaneWork& lane : lane_work(run)) workers = std::max(workers, lane.tracks);
  return std::max(workers, 1);
}

/// The recorded devices, with so many of those that compute.
std::vector<RecordedDevice> devices_of(const Run& run, const std::vector<std::string>& places) {
  std::vector<RecordedDevice> devices;
  const std::vector<std::string> computing = computing_devices(run);
  const auto known = std::ranges::find_if(
      run.devices, [&](const RecordedDevice& device) { return std::ranges::binary_search(computing, device.name); });
  for (const RecordedDevice& device : run.devices) {
    if (!std::ranges::binary_search(computing, device.name)) devices.push_back(device);
  }
  if (known == run.devices.end()) return devices;
  for (const std::string& place : places) {
    if (std::ranges::find(devices, place, &RecordedDevice::name) != devices.end()) continue;
    devices.push_back({place, known->workers, known->streams});
  }
  return devices;
}

void name_bottleneck(Prediction& prediction) {
  const CriticalPath path = critical_path(prediction.run);
  const std::vector<std::string> lanes = report::lanes(prediction.run);
  std::map<std::string, Nanoseconds> parts;
  for (const Step& step : path.steps) {
    const Nanoseconds time = step.end - step.start;
    if (step.task) {
      parts["the work of " + lanes[prediction.run.tasks[*step.task].track]] += time;
    } else {
      parts["the program itself, between its submissions"] += time;
    }
    parts[fmt::format("gaps: {}", name(step.cause))] += step.gap;
  }
  prediction.bottleneck = "nothing";
  prediction.bottleneck_share = 0;
  for (const auto& [part, time] : parts) {
    const double share = prediction.total == 0 ? 0 : static_cast<double>(time) / static_cast<double>(prediction.total);
    if (share <= prediction.bottleneck_share) continue;
    prediction.bottleneck = part;
    prediction.bottleneck_share = share;
  }
}

void check(const Machine& machine) {
  if (machine.devices && *machine.devices < 1) {
    throw UsageError(fmt::format("a machine of {} devices cannot compute", *machine.devices));
  }
  const auto is_positive = [](double value) { return value > 0 && std::isfinite(value); };
  if (machine.link && !is_positive(*machine.link)) {
    throw UsageError(fmt::format("a link of {} GB/s cannot copy", *machine.link));
  }
  if (!is_positive(machine.compute)) {
    throw UsageError(fmt::format("devices of {} times the speed cannot compute", machine.compute));
  }
}

}  // namespace

Prediction predict(const Run& run, const Machine& machine) {
  check(machine);
  const int recorded = static_cast<int>(computing_devices(run).size());
  const std::vector<std::string> places = place(run, machine.devices.value_or(recorded));
  const std::vector<std::string> lanes = report::lanes(run);
  std::vector<ScheduledTask> tasks;
  for (std::size_t task = 0; task < run.tasks.size(); ++task) {
    const Task& recorded_task = run.tasks[task];
    tasks.push_back(
        {lane_on(lanes[recorded_task.track], recorded_task, places[task]), duration_on(recorded_task, machine)});
  }
  Prediction prediction;
  prediction.run = list_schedule(run, tasks, workers_of(run));
  for (std::size_t task = 0; task < places.size(); ++task) prediction.run.tasks[task].device = places[task];
  prediction.run.devices = devices_of(run, places);
  prediction.run.counters.clear();
  prediction.bound = bound(prediction.run);
  prediction.total = prediction.bound.total;
  name_bottleneck(prediction);
  return prediction;
}

}  // namespace stretto::report
