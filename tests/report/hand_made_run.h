#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <stretto/report/run.h>

namespace stretto::report {

/// A run written down task by task. Times are microseconds.
class HandMadeRun {
 public:
  /// The task depends on those at the indices `after`, by reading what they wrote; it was submitted at 0.
  Task& add(const std::string& name, const std::string& track, Nanoseconds start, Nanoseconds end,
            const std::vector<std::size_t>& after = {}) {
    Task task;
    task.id = run.tasks.size() + 1;
    task.name = name;
    task.track = track_named(track);
    task.device = track.substr(0, track.find(' '));
    task.start = 1000 * start;
    task.end = 1000 * end;
    for (const std::size_t from : after) task.after.push_back({from, Hazard::raw});
    run.tasks.push_back(std::move(task));
    return run.tasks.back();
  }

  Wait& add_wait(const std::string& cause, Nanoseconds start, Nanoseconds end) {
    Wait wait;
    wait.name = cause;
    wait.track = track_named("program");
    wait.cause = cause;
    wait.start = 1000 * start;
    wait.end = 1000 * end;
    run.waits.push_back(std::move(wait));
    return run.waits.back();
  }

  Run run;

 private:
  std::size_t track_named(const std::string& name) {
    const auto known = std::ranges::find(run.tracks, name);
    if (known != run.tracks.end()) return static_cast<std::size_t>(known - run.tracks.begin());
    run.tracks.push_back(name);
    return run.tracks.size() - 1;
  }
};

}  // namespace stretto::report
