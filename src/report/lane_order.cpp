#include "report/lane_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <stretto/report/lanes.h>

namespace stretto::report {

LaneOrder::LaneOrder(const Run& run) : run_(run), tracks_(run.tracks.size()), all_(run.tasks.size()) {
  std::iota(all_.begin(), all_.end(), std::size_t{0});
  std::ranges::sort(all_, [&](std::size_t a, std::size_t b) { return is_before(a, b); });
  const std::vector<std::string> lanes = report::lanes(run);
  std::map<std::string, std::size_t> firsts;
  for (std::size_t track = 0; track < lanes.size(); ++track) {
    const bool is_worker = run.tracks[track].starts_with(lanes[track] + " worker");
    first_track_.push_back(is_worker ? track : firsts.try_emplace(lanes[track], track).first->second);
  }
  in_turn_.resize(lanes.size());
  for (const std::size_t task : all_) {
    tracks_[run.tasks[task].track].push_back(task);
    in_turn_[first_track_[run.tasks[task].track]].push_back(task);
  }
}

bool LaneOrder::is_before(std::size_t earlier, std::size_t later) const {
  return std::pair(run_.tasks[earlier].end, earlier) < std::pair(run_.tasks[later].end, later);
}

std::optional<std::size_t> LaneOrder::last_of(const std::vector<std::size_t>& tasks, Nanoseconds time,
                                              std::size_t task) const {
  auto place = std::ranges::upper_bound(tasks, time, {}, [&](std::size_t index) { return run_.tasks[index].end; });
  while (place != tasks.begin()) {
    --place;
    if (is_before(*place, task)) return *place;
  }
  return std::nullopt;
}

std::optional<std::size_t> LaneOrder::previous(std::size_t task) const {
  return last_of(in_turn_[first_track_[run_.tasks[task].track]], run_.tasks[task].start, task);
}

std::optional<std::size_t> LaneOrder::last_ended(Nanoseconds time, std::size_t task) const {
  return last_of(all_, time, task);
}

std::vector<std::optional<std::size_t>> LaneOrder::enclosing() const {
  std::vector<std::optional<std::size_t>> result(run_.tasks.size());
  for (const std::vector<std::size_t>& track : tracks_) {
    std::vector<std::size_t> by_start = track;
    std::ranges::stable_sort(by_start, [&](std::size_t a, std::size_t b) {
      const Task &left = run_.tasks[a], &right = run_.tasks[b];
      return left.start != right.start ? left.start < right.start : left.end > right.end;
    });
    std::vector<std::size_t> around;
    for (const std::size_t task : by_start) {
      const auto is_over = [&](const Task& outer) {
        return outer.end <= run_.tasks[task].start || outer.end < run_.tasks[task].end;
      };
      while (!around.empty() && is_over(run_.tasks[around.back()])) around.pop_back();
      if (!around.empty()) result[task] = around.back();
      around.push_back(task);
    }
  }
  return result;
}

std::vector<Nanoseconds> LaneOrder::own_durations() const {
  std::vector<Nanoseconds> own(run_.tasks.size());
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = run_.tasks[i].duration();
  const std::vector<std::optional<std::size_t>> outer = enclosing();
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (outer[i]) own[*outer[i]] -= run_.tasks[i].duration();
  }
  return own;
}

}  // namespace stretto::report
