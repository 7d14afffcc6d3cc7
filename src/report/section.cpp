#include <fmt/format.h>
#include <stretto/report/section.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include <stretto/base/error.h>

namespace stretto::report {
namespace {

UsageError no_section(const Run& run, const std::string& section) {
  std::set<std::string> names;
  for (const Task& task : run.tasks) {
    if (!task.section.empty()) names.insert(task.section);
  }
  if (names.empty()) return UsageError(fmt::format("no task is in the section {}: the run has no sections", section));
  constexpr std::size_t most = 8;
  const auto shown = static_cast<std::ptrdiff_t>(std::min(most, names.size()));
  const std::vector<std::string> some(names.begin(), std::next(names.begin(), shown));
  return UsageError(fmt::format("no task is in the section {}; there are {}{}", section, fmt::join(some, ", "),
                                names.size() > most ? ", ..." : ""));
}

}  // namespace

Run in_section(const Run& run, const std::string& section) {
  const auto is_inside = [&](const Task& task) {
    return task.section == section || task.section.starts_with(section + "/");
  };
  const auto last = std::ranges::find_if(run.tasks.rbegin(), run.tasks.rend(), is_inside);
  if (last == run.tasks.rend()) throw no_section(run, section);
  const auto first = std::ranges::find_if_not(last, run.tasks.rend(), is_inside);
  const auto begin = static_cast<std::size_t>(first.base() - run.tasks.begin());
  const auto end = static_cast<std::size_t>(last.base() - run.tasks.begin());

  Run part = run;
  part.tasks.assign(run.tasks.begin() + static_cast<std::ptrdiff_t>(begin),
                    run.tasks.begin() + static_cast<std::ptrdiff_t>(end));
  part.waits.clear();
  for (Task& task : part.tasks) {
    std::erase_if(task.after, [&](const Edge& edge) { return edge.from < begin; });
    for (Edge& edge : task.after) edge.from -= begin;
  }
  const Nanoseconds start = part.begin(), stop = part.end();
  for (Wait wait : run.waits) {
    if (wait.start < start || wait.start >= stop) continue;
    if (wait.task && (*wait.task < begin || *wait.task >= end)) wait.task.reset();
    if (wait.task) *wait.task -= begin;
    part.waits.push_back(std::move(wait));
  }
  for (Counter& counter : part.counters) {
    std::erase_if(counter.samples, [&](const Sample& sample) { return sample.time < start || sample.time > stop; });
  }
  return part;
}

}  // namespace stretto::report
