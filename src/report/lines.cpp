#include <stretto/report/lines.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "report/lane_order.h"

namespace stretto::report {

std::vector<LineTime> time_by_line(const Run& run) {
  std::unordered_map<std::string, std::size_t> places;
  std::vector<LineTime> lines;
  std::vector<std::set<std::string>> names;
  const auto line_of = [&](const std::string& line) -> LineTime& {
    const auto [place, is_new] = places.try_emplace(line, lines.size());
    if (is_new) {
      lines.emplace_back().line = line;
      names.emplace_back();
    }
    return lines[place->second];
  };
  const std::vector<Nanoseconds> own = LaneOrder(run).own_durations();
  for (std::size_t index = 0; index < run.tasks.size(); ++index) {
    const Task& task = run.tasks[index];
    LineTime& line = line_of(task.line);
    ++line.tasks;
    line.busy += own[index];
    line.bytes += task.bytes;
    if (names[places[task.line]].insert(task.name).second) line.name += (line.name.empty() ? "" : ", ") + task.name;
  }
  for (const Wait& wait : run.waits) {
    LineTime& line = line_of(wait.line);
    line.waited += wait.duration();
    if (names[places[wait.line]].insert(wait.name).second && line.tasks == 0) {
      line.name += (line.name.empty() ? "" : ", ") + wait.name;
    }
  }
  std::ranges::stable_sort(lines, [](const LineTime& a, const LineTime& b) {
    return a.busy != b.busy ? a.busy > b.busy : a.waited > b.waited;
  });
  return lines;
}

}  // namespace stretto::report
