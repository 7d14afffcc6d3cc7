#include "report/list_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include <stretto/base/error.h>

#include "report/lane_order.h"
#include "report/program_steps.h"
#include "report/readiness.h"

namespace stretto::report {
namespace {

/// A machine that runs tasks in virtual time.
class Simulation {
 public:
  Simulation(const Run& run, const std::vector<ScheduledTask>& tasks, int workers)
      : run_(run),
        scheduled_(tasks),
        outer_(LaneOrder(run).enclosing()),
        program_(run, outer_),
        result_(run),
        missing_(run.tasks.size(), 1),
        after_(run.tasks.size()),
        inside_(run.tasks.size()),
        gaps_(run.tasks.size()),
        has_ended_(run.tasks.size()) {
    result_.tracks.clear();
    make_lanes(workers);
    const LaneOrder order(run);
    for (std::size_t task = 0; task < run.tasks.size(); ++task) {
      if (outer_[task]) {
        inside_[*outer_[task]].push_back(task);
        continue;
      }
      for (const Edge& edge : run.tasks[task].after) {
        after_[edge.from].push_back(task);
        ++missing_[task];
      }
      const Readiness ready = readiness(run, order, task);
      const Nanoseconds all = std::max(ready.ready(), run.tasks[task].submitted);
      gaps_[task] = std::max<Nanoseconds>(0, run.tasks[task].start - all);
    }
  }

  Run take() {
    go_on_with_program();
    while (!events_.empty()) {
      const auto [time, is_submission, task] = events_.top();
      events_.pop();
      if (is_submission) {
        satisfy(task, time);
      } else {
        end(task, time);
        go_on_with_program();
      }
    }
    for (std::size_t task = 0; task < run_.tasks.size(); ++task) {
      if (has_ended_[task]) continue;
      throw FileError(fmt::format("the recording contradicts itself: task {} could never start", run_.tasks[task].id));
    }
    return std::move(result_);
  }

 private:
  struct Lane {
    std::string name;
    bool is_pool = false;
    std::vector<std::size_t> tracks;                     ///< Of the result.
    std::set<std::pair<Nanoseconds, std::size_t>> idle;  ///< Tracks by when they became free.
    std::vector<std::size_t> order;                      ///< Of a lane that is no pool.
    std::size_t next = 0;
    std::set<std::pair<Nanoseconds, std::size_t>> ready;  ///< Tasks by when they became ready.
  };

  void make_lanes(int workers) {
    // A task comes behind what it depends on, also where clocks of two devices differ a little.
    std::vector<Nanoseconds> keys(run_.tasks.size());
    for (std::size_t task = 0; task < keys.size(); ++task) {
      keys[task] = run_.tasks[task].start;
      for (const Edge& edge : run_.tasks[task].after) keys[task] = std::max(keys[task], keys[edge.from]);
    }
    std::map<std::string, std::size_t> places;
    for (std::size_t task = 0; task < keys.size(); ++task) {
      const std::string& name = scheduled_[task].lane;
      const auto [place, is_new] = places.try_emplace(name, lanes_.size());
      if (is_new) {
        lanes_.emplace_back();
        lanes_.back().name = name;
        lanes_.back().is_pool = name.starts_with("cpu:") && name.find(' ') == std::string::npos;
      }
      lane_of_.push_back(place->second);
      if (!outer_[task]) lanes_[place->second].order.push_back(task);
    }
    for (Lane& lane : lanes_) {
      std::ranges::sort(lane.order, {}, [&](std::size_t task) { return std::pair(keys[task], task); });
      for (int number = 0; number < (lane.is_pool ? workers : 1); ++number) {
        lane.idle.insert({0, result_.tracks.size()});
        lane.tracks.push_back(result_.tracks.size());
        result_.tracks.push_back(lane.is_pool ? fmt::format("{} worker {}", lane.name, number + 1) : lane.name);
      }
    }
    for (Wait& wait : result_.waits) wait.track = result_.tracks.size();
    result_.tracks.push_back("program");
  }

  /// Up to where it waits for a task that has not ended.
  void go_on_with_program() {
    program_.go_on(
        [&](std::size_t task, Nanoseconds time) {
          result_.tasks[task].submitted = result_.tasks[task].issued = time;
          events_.push({time, true, task});
        },
        [&](std::size_t wait, Nanoseconds start, Nanoseconds end) {
          result_.waits[wait].start = start;
          result_.waits[wait].end = end;
        });
  }

  /// One of the things that the task waited for was there at `time`.
  void satisfy(std::size_t task, Nanoseconds time) {
    Task& scheduled = result_.tasks[task];
    scheduled.issued = std::max(scheduled.issued, time);
    if (--missing_[task] > 0) return;
    Lane& lane = lanes_[lane_of_[task]];
    lane.ready.insert({scheduled.issued, task});
    start_what_can(lane);
  }

  void start_what_can(Lane& lane) {
    while (!lane.idle.empty() && !lane.ready.empty()) {
      auto chosen = lane.ready.begin();
      if (!lane.is_pool) {
        const std::size_t next = lane.order[lane.next];
        chosen = lane.ready.find({result_.tasks[next].issued, next});
        if (chosen == lane.ready.end()) return;
        ++lane.next;
      }
      const auto [ready, task] = *chosen;
      lane.ready.erase(chosen);
      const auto [free, track] = *lane.idle.begin();
      lane.idle.erase(lane.idle.begin());
      start(task, track, std::max(ready, free) + gaps_[task]);
    }
  }

  void start(std::size_t task, std::size_t track, Nanoseconds time) {
    Task& scheduled = result_.tasks[task];
    scheduled.track = track;
    scheduled.start = time;
    scheduled.end = time + scheduled_[task].duration;
    events_.push({scheduled.end, false, task});
    const Task& recorded = run_.tasks[task];
    const double scale = recorded.duration() == 0 ? 1
                                                  : static_cast<double>(scheduled_[task].duration) /
                                                        static_cast<double>(recorded.duration());
    for (const std::size_t inner : inside_[task]) start_inside(inner, task, track, scale);
  }

  /// What ran inside another does so again, at the same part of it.
  void start_inside(std::size_t task, std::size_t outer, std::size_t track, double scale) {
    const auto moved = [&](Nanoseconds time) {
      return result_.tasks[outer].start +
             static_cast<Nanoseconds>(static_cast<double>(time - run_.tasks[outer].start) * scale);
    };
    Task& scheduled = result_.tasks[task];
    scheduled.track = track;
    scheduled.start = moved(run_.tasks[task].start);
    scheduled.end = moved(run_.tasks[task].end);
    scheduled.submitted = scheduled.issued = std::min(scheduled.start, moved(run_.tasks[task].submitted));
    events_.push({scheduled.end, false, task});
    for (const std::size_t inner : inside_[task]) start_inside(inner, task, track, scale);
  }

  void end(std::size_t task, Nanoseconds time) {
    has_ended_[task] = true;
    program_.note_end(task, time);
    if (!outer_[task]) {
      Lane& lane = lanes_[lane_of_[task]];
      lane.idle.insert({time, result_.tasks[task].track});
      start_what_can(lane);
    }
    for (const std::size_t next : after_[task]) satisfy(next, time);
  }

  const Run& run_;
  const std::vector<ScheduledTask>& scheduled_;
  const std::vector<std::optional<std::size_t>> outer_;  ///< The task inside which each ran.
  ProgramSteps program_;
  Run result_;
  std::vector<int> missing_;  ///< Things that each task still waits for: its submission and its dependencies.
  std::vector<std::vector<std::size_t>> after_;
  std::vector<std::vector<std::size_t>> inside_;
  std::vector<Nanoseconds> gaps_;  ///< From ready to started, as recorded.
  std::vector<bool> has_ended_;
  std::vector<Lane> lanes_;
  std::vector<std::size_t> lane_of_;
  /// In the order of time; what ends at a moment comes before what is submitted then.
  using Event = std::tuple<Nanoseconds, bool, std::size_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace

Run list_schedule(const Run& run, const std::vector<ScheduledTask>& tasks, int workers) {
  return Simulation(run, tasks, workers).take();
}

}  // namespace stretto::report
