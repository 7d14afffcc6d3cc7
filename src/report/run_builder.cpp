#include "report/run_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>

#include <stretto/base/error.h>

namespace stretto::report {
namespace {

using Json = nlohmann::json;

const Json& member(const Json& object, const char* key) {
  static const Json none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

std::string text(const Json& object, const char* key) {
  const Json& value = member(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t whole(const Json& object, const char* key) {
  const Json& value = member(object, key);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

/// A time or a duration; the files hold microseconds.
Nanoseconds time(const Json& object, const char* key) {
  const Json& value = member(object, key);
  // Beyond this a microsecond is no whole number any more.
  constexpr double longest = 1e13;
  if (!value.is_number() || !(value.get<double>() >= 0) || value.get<double>() > longest) {
    throw FileError(fmt::format("\"{}\" is no time from 0 on", key));
  }
  return std::llround(value.get<double>() * 1e3);
}

Nanoseconds time_or(const Json& object, const char* key, Nanoseconds otherwise) {
  return object.contains(key) ? time(object, key) : otherwise;
}

Hazard hazard_named(const std::string& text) {
  for (const Hazard hazard : {Hazard::raw, Hazard::war, Hazard::waw, Hazard::reuse}) {
    if (text == name(hazard)) return hazard;
  }
  throw FileError(fmt::format("\"after\" names the unknown hazard {}", text));
}

Role role_named(const std::string& text) {
  if (text == "to host") return Role::to_host;
  if (text == "from host") return Role::from_host;
  if (text == "to peer") return Role::to_peer;
  return Role::compute;
}

/// Numbers in names count as numbers: "worker 2" comes before "worker 10".
bool comes_before(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto digits_of = [&](std::string_view from, std::size_t& at) {
        while (at + 1 < from.size() && from[at] == '0' && is_digit(from[at + 1])) ++at;
        const std::size_t first = at;
        while (at < from.size() && is_digit(from[at])) ++at;
        return from.substr(first, at - first);
      };
      const std::string_view left = digits_of(a, i), right = digits_of(b, j);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
      continue;
    }
    if (a[i] != b[j]) return a[i] < b[j];
    ++i;
    ++j;
  }
  return a.size() - i < b.size() - j;
}

bool is_program(std::string_view track) { return track == "program" || track.starts_with("program "); }

std::string as_text(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

}  // namespace

void RunBuilder::add(const Json& event) {
  if (!event.is_object() || !member(event, "ph").is_string()) throw FileError("no event: it has no \"ph\"");
  const std::string phase = text(event, "ph");
  if (phase == "X") {
    add_slice(event);
  } else if (phase == "M") {
    add_metadata(event);
  } else if (phase == "C") {
    add_counter(event);
  } else if (phase == "B") {
    begin_slice(event);
  } else if (phase == "E") {
    end_slice(event);
  } else if (phase == "i" && text(event, "name") == "dropped") {
    run_.dropped += static_cast<std::uint64_t>(std::max<std::int64_t>(0, whole(member(event, "args"), "tasks")));
  }
}

void RunBuilder::add_metadata(const Json& event) {
  const Json& arguments = member(event, "args");
  const std::string kind = text(event, "name");
  if (kind == "thread_name") track_names_[track_of(event)] = text(arguments, "name");
  if (kind != "stretto") return;
  constexpr std::int64_t known_format = 1;
  if (const std::int64_t format = whole(arguments, "format"); format != known_format) {
    throw FileError(fmt::format("its format is {}; this version reads {}", format, known_format));
  }
  run_.version = text(arguments, "version");
  run_.engine = text(arguments, "engine");
  run_.command = text(arguments, "command");
  for (const Json& device : member(arguments, "devices")) {
    run_.devices.push_back(
        {text(device, "name"), static_cast<int>(whole(device, "workers")), static_cast<int>(whole(device, "streams"))});
  }
}

void RunBuilder::add_slice(const Json& event) {
  const Json& arguments = member(event, "args");
  if (text(event, "cat") == "wait" && !text(arguments, "cause").empty()) {
    add_wait(event, arguments);
    return;
  }
  Task task;
  task.name = text(event, "name");
  task.track = track_of(event);
  task.start = time(event, "ts");
  task.end = task.start + time_or(event, "dur", 0);
  add_task(std::move(task), arguments);
}

void RunBuilder::add_task(Task task, const Json& arguments) {
  std::vector<Reference> after;
  if (arguments.is_object()) {
    const Json& id = member(arguments, "id");
    if (id.is_number_integer()) {
      if (id.get<std::int64_t>() < 1) throw FileError("\"id\" is not positive");
      task.id = id.get<std::uint64_t>();
    }
    task.device = text(arguments, "device");
    task.role = role_named(text(arguments, "role"));
    task.line = text(arguments, "line");
    task.shapes = text(arguments, "shapes");
    task.section = text(arguments, "section");
    task.failed = text(arguments, "failed");
    task.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, whole(arguments, "bytes")));
    task.submitted = std::min(time_or(arguments, "submitted", task.start), task.start);
    task.issued = std::clamp(time_or(arguments, "issued", task.submitted), task.submitted, task.start);
    task.is_estimated = member(arguments, "estimated") == Json(true);
    for (const Json& edge : member(arguments, "after")) {
      if (!edge.is_array() || edge.size() != 2 || !edge[0].is_number_integer() || !edge[1].is_string()) {
        throw FileError("\"after\" holds no [id, hazard]");
      }
      after.push_back({edge[0].get<std::uint64_t>(), hazard_named(edge[1].get<std::string>())});
    }
  } else {
    task.submitted = task.issued = task.start;
  }
  run_.tasks.push_back(std::move(task));
  after_.push_back(std::move(after));
}

void RunBuilder::add_wait(const Json& event, const Json& arguments) {
  Wait wait;
  wait.name = text(event, "name");
  wait.track = track_of(event);
  wait.cause = text(arguments, "cause");
  wait.start = time(event, "ts");
  wait.end = wait.start + time_or(event, "dur", 0);
  wait.line = text(arguments, "line");
  run_.waits.push_back(std::move(wait));
  waited_for_.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(0, whole(arguments, "for"))));
}

void RunBuilder::begin_slice(const Json& event) {
  open_[track_of(event)].push_back({text(event, "name"), time(event, "ts")});
}

void RunBuilder::end_slice(const Json& event) {
  std::vector<OpenSlice>& open = open_[track_of(event)];
  if (open.empty()) return;
  Task task;
  task.name = std::move(open.back().name);
  task.track = track_of(event);
  task.start = open.back().start;
  task.end = std::max(task.start, time(event, "ts"));
  open.pop_back();
  add_task(std::move(task), {});
}

void RunBuilder::add_counter(const Json& event) {
  const Json& arguments = member(event, "args");
  if (!arguments.is_object()) throw FileError("a counter without \"args\"");
  for (const auto& [unit, value] : arguments.items()) {
    if (!value.is_number()) continue;
    const std::string counter = text(event, "name");
    const auto [place, is_new] = counters_.try_emplace(counter + '\0' + unit, run_.counters.size());
    if (is_new) run_.counters.push_back({counter, unit, {}});
    run_.counters[place->second].samples.push_back({time(event, "ts"), value.get<double>()});
  }
}

std::size_t RunBuilder::track_of(const Json& event) {
  const std::string process = as_text(member(event, "pid")), thread = as_text(member(event, "tid"));
  const auto [place, is_new] = tracks_.try_emplace(process + '\0' + thread, run_.tracks.size());
  if (is_new) run_.tracks.push_back("thread " + thread);
  return place->second;
}

Run RunBuilder::finish() {
  for (const auto& [track, name] : track_names_) run_.tracks[track] = name;
  number_foreign_tasks();
  order_tasks();
  resolve_edges();
  resolve_waits();
  order_tracks();
  for (Counter& counter : run_.counters) std::ranges::stable_sort(counter.samples, {}, &Sample::time);
  return std::exchange(*this, {}).run_;
}

void RunBuilder::number_foreign_tasks() {
  const auto without_id = std::ranges::count(run_.tasks, std::uint64_t{0}, &Task::id);
  if (without_id == 0) return;
  if (without_id != std::ssize(run_.tasks)) throw FileError("some of its tasks have an \"id\" and some have none");
  std::vector<std::size_t> order(run_.tasks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t index) { return run_.tasks[index].start; });
  for (std::size_t i = 0; i < order.size(); ++i) run_.tasks[order[i]].id = i + 1;
}

void RunBuilder::order_tasks() {
  std::vector<std::size_t> order(run_.tasks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t index) { return run_.tasks[index].id; });
  std::vector<Task> tasks;
  std::vector<std::vector<Reference>> after;
  tasks.reserve(order.size());
  after.reserve(order.size());
  for (const std::size_t index : order) {
    if (!tasks.empty() && tasks.back().id == run_.tasks[index].id) {
      throw FileError(fmt::format("two tasks have the id {}", tasks.back().id));
    }
    by_id_[run_.tasks[index].id] = tasks.size();
    tasks.push_back(std::move(run_.tasks[index]));
    after.push_back(std::move(after_[index]));
    // A file of another program says nothing of devices: a thread is one.
    if (tasks.back().device.empty()) tasks.back().device = run_.tracks[tasks.back().track];
  }
  run_.tasks = std::move(tasks);
  after_ = std::move(after);
}

void RunBuilder::resolve_edges() {
  for (std::size_t index = 0; index < run_.tasks.size(); ++index) {
    Task& task = run_.tasks[index];
    for (const Reference& reference : after_[index]) {
      if (reference.id >= task.id) {
        throw FileError(fmt::format("task {} comes after task {}, which is not earlier", task.id, reference.id));
      }
      // In a file that was cut, or whose records were dropped, a task may be missing.
      const auto found = by_id_.find(reference.id);
      if (found != by_id_.end()) task.after.push_back({found->second, reference.hazard});
    }
  }
}

void RunBuilder::resolve_waits() {
  for (std::size_t index = 0; index < run_.waits.size(); ++index) {
    const auto found = by_id_.find(waited_for_[index]);
    if (found != by_id_.end()) run_.waits[index].task = found->second;
  }
  std::ranges::stable_sort(run_.waits, {}, &Wait::start);
}

void RunBuilder::order_tracks() {
  std::vector<std::size_t> order(run_.tracks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const std::string &left = run_.tracks[a], &right = run_.tracks[b];
    if (is_program(left) != is_program(right)) return is_program(left);
    return comes_before(left, right);
  });
  std::vector<std::size_t> place(order.size());
  std::vector<std::string> names;
  for (const std::size_t track : order) {
    place[track] = names.size();
    names.push_back(std::move(run_.tracks[track]));
  }
  run_.tracks = std::move(names);
  for (Task& task : run_.tasks) task.track = place[task.track];
  for (Wait& wait : run_.waits) wait.track = place[wait.track];
}

}  // namespace stretto::report
