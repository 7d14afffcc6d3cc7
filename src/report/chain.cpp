#include <stretto/report/chain.h>

#include <algorithm>
#include <limits>

#include <stretto/report/lanes.h>

namespace stretto::report {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

}  // namespace

Chain longest_chain(const Run& run) {
  std::vector<Nanoseconds> finish(run.tasks.size());
  std::vector<std::size_t> before(run.tasks.size(), none);
  std::size_t last = none;
  for (std::size_t index = 0; index < run.tasks.size(); ++index) {
    const Task& task = run.tasks[index];
    for (const Edge& edge : task.after) {
      if (before[index] == none || finish[edge.from] > finish[before[index]]) before[index] = edge.from;
    }
    finish[index] = task.duration() + (before[index] == none ? 0 : finish[before[index]]);
    if (last == none || finish[index] > finish[last]) last = index;
  }
  Chain chain;
  if (last == none) return chain;
  chain.length = finish[last];
  for (std::size_t index = last; index != none; index = before[index]) chain.tasks.push_back(index);
  std::ranges::reverse(chain.tasks);
  return chain;
}

double Bound::ratio() const { return bound() == 0 ? 0 : static_cast<double>(total) / static_cast<double>(bound()); }

Bound bound(const Run& run) {
  Bound result;
  for (const LaneWork& lane : lane_work(run)) {
    if (result.busiest.empty() || lane.shortest() > result.work) {
      result.busiest = lane.lane;
      result.work = lane.shortest();
    }
  }
  result.chain = longest_chain(run).length;
  result.total = run.end() - run.begin();
  return result;
}

}  // namespace stretto::report
