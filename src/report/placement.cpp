#include "report/placement.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace stretto::report {
namespace {

bool is_cpu(const std::string& device) { return device.starts_with("cpu:"); }

/// Tasks joined into groups.
class Groups {
 public:
  explicit Groups(std::size_t count) : above_(count) { std::iota(above_.begin(), above_.end(), std::size_t{0}); }

  std::size_t of(std::size_t task) {
    while (above_[task] != task) task = above_[task] = above_[above_[task]];
    return task;
  }
  void join(std::size_t a, std::size_t b) { above_[of(b)] = of(a); }

 private:
  std::vector<std::size_t> above_;
};

/// Tasks connected by dependencies on one device. A copy goes with one side only: it does not connect them.
Groups connected(const Run& run) {
  Groups groups(run.tasks.size());
  std::vector<bool> is_joined(run.tasks.size());
  for (std::size_t index = 0; index < run.tasks.size(); ++index) {
    const Task& task = run.tasks[index];
    for (const Edge& edge : task.after) {
      const Task& before = run.tasks[edge.from];
      // Another machine's memory is used again by others.
      if (edge.hazard == Hazard::reuse || before.device != task.device) continue;
      if (is_copy(task.role) && is_copy(before.role)) continue;
      if (is_copy(task.role)) {
        if (is_joined[index]) continue;
        is_joined[index] = true;
      }
      if (is_copy(before.role)) {
        if (is_joined[edge.from]) continue;
        is_joined[edge.from] = true;
      }
      groups.join(edge.from, index);
    }
  }
  return groups;
}

}  // namespace

std::vector<std::string> computing_devices(const Run& run) {
  std::set<std::string> gpus, cpus;
  for (const Task& task : run.tasks) {
    if (is_copy(task.role)) continue;
    (is_cpu(task.device) ? cpus : gpus).insert(task.device);
  }
  const std::set<std::string>& chosen = gpus.empty() ? cpus : gpus;
  return {chosen.begin(), chosen.end()};
}

std::vector<std::string> place(const Run& run, int devices) {
  std::vector<std::string> places;
  for (const Task& task : run.tasks) places.push_back(task.device);
  const std::vector<std::string> recorded = computing_devices(run);
  if (recorded.empty() || std::ssize(recorded) == devices) return places;

  const std::string& first = recorded.front();
  const std::string kind = first.substr(0, first.find(':'));
  Groups groups = connected(run);
  std::vector<Nanoseconds> work(run.tasks.size());
  std::vector<std::size_t> order;
  const auto is_moved = [&](std::size_t task) { return std::ranges::binary_search(recorded, run.tasks[task].device); };
  for (std::size_t task = 0; task < run.tasks.size(); ++task) {
    if (!is_moved(task)) continue;
    if (groups.of(task) == task) order.push_back(task);
    work[groups.of(task)] += run.tasks[task].duration();
  }
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t group) { return work[group]; });
  std::vector<Nanoseconds> loads(static_cast<std::size_t>(devices));
  std::vector<std::size_t> device_of(run.tasks.size());
  for (const std::size_t group : order) {
    const auto least = std::ranges::min_element(loads);
    *least += work[group];
    device_of[group] = static_cast<std::size_t>(least - loads.begin());
  }
  for (std::size_t task = 0; task < run.tasks.size(); ++task) {
    if (is_moved(task)) places[task] = kind + ":" + std::to_string(device_of[groups.of(task)]);
  }
  return places;
}

}  // namespace stretto::report
