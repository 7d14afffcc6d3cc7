#include "engine/timeline.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace stretto {
namespace {

std::int64_t nanoseconds(const nlohmann::json& microseconds) { return std::llround(microseconds.get<double>() * 1e3); }

/// Slices of one track nest or are disjoint.
void check_track(const std::string& name, std::vector<Timeline::Slice> slices, std::vector<std::string>& faults) {
  std::ranges::sort(
      slices, [](const auto& a, const auto& b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
  std::vector<std::int64_t> open;
  for (const Timeline::Slice& slice : slices) {
    while (!open.empty() && open.back() <= slice.begin) open.pop_back();
    if (!open.empty() && slice.end > open.back())
      faults.push_back(name + ": " + slice.name + " ends behind the slice that it begins in");
    open.push_back(slice.end);
  }
}

}  // namespace

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

Timeline::Timeline(const std::string& text) {
  const nlohmann::json document = nlohmann::json::parse(text);
  std::map<int, std::string> tracks;
  std::map<std::uint64_t, std::pair<nlohmann::json, nlohmann::json>> ends;
  std::map<std::string, std::vector<Slice>> by_track;
  bool is_first = true;
  for (const nlohmann::json& event : document.at("traceEvents")) {
    const std::string phase = event.at("ph");
    if (event.contains("ts") && event.at("ts").get<double>() < 0) faults.push_back("a time is negative");
    if (is_first && event.at("name") != "stretto") faults.push_back("the first event does not tell of the run");
    is_first = false;
    if (phase == "M" && event.at("name") == "stretto") head = event.at("args");
    if (phase == "M" && event.at("name") == "thread_name") tracks[event.at("tid")] = event.at("args").at("name");
    if (phase == "C") counters[event.at("name")].push_back(event);
    if (phase == "i" && event.at("name") == "dropped") dropped += event.at("args").at("tasks").get<std::uint64_t>();
    if (phase == "s") ends[event.at("id")].first = event;
    if (phase == "f") ends[event.at("id")].second = event;
    if (phase != "X") continue;
    if (!tracks.contains(event.at("tid"))) faults.push_back("a slice comes before the name of its track");
    const std::int64_t begin = nanoseconds(event.at("ts")), duration = nanoseconds(event.at("dur"));
    if (duration < 0) faults.push_back("a duration is negative");
    const Slice slice{event.at("name"), tracks[event.at("tid")], begin, begin + duration, event.at("args")};
    by_track[slice.track].push_back(slice);
    (event.at("cat") == "task" ? tasks : waits).push_back(slice);
  }
  for (const auto& [id, both] : ends) {
    if (both.first.is_null() || both.second.is_null()) {
      faults.push_back("a flow has one end");
    } else {
      flows.push_back(both);
    }
  }
  for (const auto& [name, slices] : by_track) check_track(name, slices, faults);
  std::ranges::sort(tasks, {}, &Slice::id);
  std::map<std::uint64_t, const Slice*> known;
  for (const Slice& one : tasks) {
    if (!known.emplace(one.id(), &one).second) faults.push_back("two tasks have one id");
    if (one.begin < nanoseconds(one.arguments.at("submitted")))
      faults.push_back(one.name + " starts before its submission");
    if (nanoseconds(one.arguments.at("issued")) < nanoseconds(one.arguments.at("submitted")))
      faults.push_back(one.name + " is issued before its submission");
    if (one.begin < nanoseconds(one.arguments.at("issued"))) faults.push_back(one.name + " starts before its issue");
  }
  for (const Slice& one : tasks)
    for (const nlohmann::json& edge : one.arguments.value("after", nlohmann::json::array())) {
      const std::uint64_t before = edge.at(0);
      const auto found = known.find(before);
      if (found == known.end()) {
        faults.push_back(one.name + " comes after a task that has no slice");
        continue;
      }
      const Slice& other = *found->second;
      if (before >= one.id()) faults.push_back(one.name + " comes after a later task");
      if (one.begin < other.end) faults.push_back(one.name + " starts before " + other.name + " has ended");
    }
}

const Timeline::Slice& Timeline::task(const std::string& name) const {
  const auto found = std::ranges::find(tasks, name, &Slice::name);
  if (found == tasks.end()) throw std::runtime_error("there is no task " + name);
  return *found;
}

std::set<std::string> Timeline::graph() const {
  std::set<std::string> edges;
  std::map<std::uint64_t, std::string> names;
  for (const Slice& one : tasks) names[one.id()] = one.name;
  for (const Slice& one : tasks)
    for (const nlohmann::json& edge : one.arguments.value("after", nlohmann::json::array()))
      if (edge.at(1) != "reuse")
        edges.insert(one.name + " " + edge.at(1).get<std::string>() + " " + names[edge.at(0).get<std::uint64_t>()]);
  return edges;
}

std::vector<std::vector<std::string>> Timeline::graph_by_place() const {
  std::map<std::uint64_t, std::size_t> places;
  for (const Slice& one : tasks) places.emplace(one.id(), places.size());
  std::vector<std::vector<std::string>> graph;
  for (const Slice& one : tasks) {
    std::vector<std::string> edges{one.name};
    for (const nlohmann::json& edge : one.arguments.value("after", nlohmann::json::array()))
      if (edge.at(1) != "reuse")
        edges.push_back(edge.at(1).get<std::string>() + " " + std::to_string(places.at(edge.at(0))));
    graph.push_back(std::move(edges));
  }
  return graph;
}

}  // namespace stretto
