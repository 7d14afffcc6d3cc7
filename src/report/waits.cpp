#include <fmt/format.h>
#include <stretto/report/waits.h>

#include <algorithm>
#include <map>
#include <tuple>

#include <stretto/report/lanes.h>

#include "report/lane_order.h"
#include "report/readiness.h"

namespace stretto::report {
namespace {

constexpr Nanoseconds shortest = 1000;

std::string at(const std::string& line) { return line.empty() ? "" : " (" + line + ")"; }

std::string task_text(const Task& task) { return task.name + at(task.line); }

std::string dependency_advice(const Run& run, const WaitGroup& group) {
  const Task& on = run.tasks[*group.on];
  const auto edge = std::ranges::find(run.tasks[*group.task].after, *group.on, &Edge::from);
  if (edge->hazard == Hazard::raw) {
    return fmt::format("it reads what {} makes: make that shorter, or let it depend on a smaller part", task_text(on));
  }
  const char* what = edge->hazard == Hazard::war ? "reads" : "writes";
  return fmt::format("it writes where {} {}: give it a tensor of its own and the two run beside each other",
                     task_text(on), what);
}

std::string advice(const Run& run, const WaitGroup& group) {
  switch (group.cause) {
    case Cause::dependency: return dependency_advice(run, group);
    case Cause::busy_lane:
      return fmt::format("{} was busy with other work: spread the work over more devices, or over more of its lanes",
                         group.where);
    case Cause::launch_bound:
      return fmt::format("{} stood idle until the task came: submit earlier, or make tasks larger and fewer",
                         group.where);
    case Cause::host_read:
      return "the program stood still for one value: read it later, after submitting what does not need it";
    case Cause::wait_all:
      return "the program waited for everything: wait only for the tensors that it needs, or submit more before";
    case Cause::back_pressure:
      return "the program was ahead of the machine, which costs nothing while the lanes are busy; else raise "
             "STRETTO_MAX_INFLIGHT";
    case Cause::memory:
      return "memory had to come back first: let go of tensors earlier, or raise STRETTO_MEMORY_LIMIT";
  }
  return {};
}

class Collector {
 public:
  explicit Collector(const Run& run) : run_(run), order_(run), lanes_(lanes(run)) {
    for (const Wait& wait : run.waits) wait_ends_.push_back(wait.end);
    std::ranges::sort(wait_ends_);
  }

  std::vector<WaitGroup> groups(std::size_t count) {
    for (std::size_t task = 0; task < run_.tasks.size(); ++task) add_task(task);
    for (const Wait& wait : run_.waits) {
      WaitGroup group;
      group.cause = cause_named(wait.cause);
      group.name = wait.name;
      group.line = wait.line;
      group.on = wait.task;
      add(std::move(group), wait.duration());
    }
    std::vector<WaitGroup> result;
    for (auto& [key, group] : groups_) result.push_back(std::move(group));
    std::ranges::stable_sort(result, std::ranges::greater(), &WaitGroup::longest);
    if (result.size() > count) result.resize(count);
    for (WaitGroup& group : result) group.advice = advice(run_, group);
    return result;
  }

 private:
  void add_task(std::size_t index) {
    const Task& task = run_.tasks[index];
    const Readiness ready = readiness(run_, order_, index);
    const auto add_part = [&](Cause cause, Nanoseconds from, Nanoseconds to, std::optional<std::size_t> on) {
      WaitGroup group;
      group.cause = cause;
      group.name = task.name;
      group.line = task.line;
      group.task = index;
      group.on = on;
      group.where = cause == Cause::busy_lane ? lanes_[task.track] : run_.tracks[task.track];
      add(std::move(group), to - from);
    };
    const Nanoseconds needed = std::max(task.submitted, ready.dependencies);
    if (ready.dependency) add_part(ready.dependency_cause, task.submitted, ready.dependencies, ready.dependency);
    if (ready.lane) add_part(Cause::busy_lane, needed, ready.lane_free, ready.lane);
    // A lane that has not run anything yet did not wait for its first task.
    const Nanoseconds idle_from = ready.lane || ready.dependency ? ready.ready() : task.submitted;
    add_part(Cause::launch_bound, std::max(idle_from, end_of_wait_before(task.submitted)), task.start, {});
  }

  /// Until then the program stood still, which is counted as a wait of its own.
  Nanoseconds end_of_wait_before(Nanoseconds time) const {
    const auto place = std::ranges::upper_bound(wait_ends_, time);
    return place == wait_ends_.begin() ? 0 : *std::prev(place);
  }

  void add(WaitGroup&& one, Nanoseconds duration) {
    if (duration < shortest) return;
    WaitGroup& group = groups_.try_emplace(std::tuple(one.cause, one.name, one.line), one).first->second;
    ++group.count;
    group.total += duration;
    if (duration <= group.longest) return;
    group.longest = duration;
    group.task = one.task;
    group.on = one.on;
    group.where = std::move(one.where);
  }

  const Run& run_;
  const LaneOrder order_;
  const std::vector<std::string> lanes_;
  std::vector<Nanoseconds> wait_ends_;
  std::map<std::tuple<Cause, std::string, std::string>, WaitGroup> groups_;
};

}  // namespace

std::vector<WaitGroup> largest_waits(const Run& run, std::size_t count) { return Collector(run).groups(count); }

}  // namespace stretto::report
