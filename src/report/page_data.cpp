#include "report/page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <stretto/report/chain.h>
#include <stretto/report/critical_path.h>
#include <stretto/report/lanes.h>
#include <stretto/report/lines.h>
#include <stretto/report/overlap.h>
#include <stretto/report/waits.h>

#include "report/lane_order.h"
#include "report/readiness.h"

namespace stretto::report {
namespace {

std::string json_text(std::string_view text) {
  std::string result;
  for (const char c : nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

/// Texts that occur again and again, by number.
class Strings {
 public:
  std::size_t number(const std::string& text) {
    const auto [place, is_new] = numbers_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(&place->first);
    return place->second;
  }
  std::string text() const {
    std::string result = "[";
    for (const std::string* one : texts_) {
      if (result.size() > 1) result += ',';
      result += json_text(*one);
    }
    return result + "]";
  }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<const std::string*> texts_;
};

class PageData {
 public:
  explicit PageData(const Run& run) : run_(run), begin_(run.begin()) {}

  std::string text() {
    add_head();
    add_tasks();
    add_edges();
    add_waiting();
    add_waits();
    add_counters();
    add_path();
    add_tables();
    add("strings", strings_.text());
    return "{" + text_ + "}";
  }

 private:
  void add(std::string_view key, std::string_view value) {
    fmt::format_to(std::back_inserter(text_), "{}\"{}\":{}", text_.empty() ? "" : ",\n", key, value);
  }

  /// An array of what `of` gives for each element of `range`.
  template <typename Range, typename Of>
  void add_all(std::string_view key, const Range& range, Of of) {
    std::string values = "[";
    for (const auto& element : range) {
      if (values.size() > 1) values += ',';
      fmt::format_to(std::back_inserter(values), "{}", of(element));
    }
    add(key, values + "]");
  }

  std::int64_t task_or_none(const std::optional<std::size_t>& task) const {
    return task ? static_cast<std::int64_t>(*task) : -1;
  }

  void add_head() {
    add("command", json_text(short_command(run_)));
    std::string facts = fmt::format("{} tasks", run_.tasks.size());
    if (!run_.engine.empty()) facts += fmt::format(" · {} engine · Stretto {}", run_.engine, run_.version);
    for (const RecordedDevice& device : run_.devices) facts += " · " + device.name;
    add("facts", json_text(facts));
    std::string warning;
    if (run_.cut) warning = "The file ends before its end: what came later is missing. ";
    if (run_.dropped > 0) {
      warning += fmt::format("{} tasks are missing: the recorder had no room for them.", run_.dropped);
    }
    add("warning", json_text(warning));
    add("total", std::to_string(run_.end() - begin_));
    add_all("tracks", run_.tracks, [](const std::string& track) { return json_text(track); });
    const auto program = std::ranges::find(run_.tracks, "program");
    add("programTrack", program == run_.tracks.end() ? "-1" : std::to_string(program - run_.tracks.begin()));
  }

  void add_tasks() {
    // Differences are shorter than times.
    Nanoseconds before = begin_;
    add_all("start", run_.tasks, [&](const Task& task) { return task.start - std::exchange(before, task.start); });
    add_all("duration", run_.tasks, [](const Task& task) { return task.duration(); });
    add_all("id", run_.tasks, [](const Task& task) { return task.id; });
    add_all("track", run_.tasks, [](const Task& task) { return task.track; });
    add_all("name", run_.tasks, [&](const Task& task) { return strings_.number(task.name); });
    add_all("line", run_.tasks, [&](const Task& task) { return strings_.number(task.line); });
    add_all("shapes", run_.tasks, [&](const Task& task) { return strings_.number(task.shapes); });
    add_all("section", run_.tasks, [&](const Task& task) { return strings_.number(task.section); });
    add_all("role", run_.tasks, [](const Task& task) { return static_cast<int>(task.role); });
    add_all("bytes", run_.tasks, [](const Task& task) { return task.bytes; });
    std::vector<std::size_t> estimated;
    for (std::size_t task = 0; task < run_.tasks.size(); ++task)
      if (run_.tasks[task].is_estimated) estimated.push_back(task);
    add_all("estimated", estimated, [](std::size_t task) { return task; });
    std::string failed = "{";
    for (std::size_t task = 0; task < run_.tasks.size(); ++task) {
      if (run_.tasks[task].failed.empty()) continue;
      failed += fmt::format("{}\"{}\":{}", failed.size() > 1 ? "," : "", task, json_text(run_.tasks[task].failed));
    }
    add("failed", failed + "}");
  }

  void add_edges() {
    add_all("edges", run_.tasks, [](const Task& task) { return task.after.size(); });
    std::string from = "[", hazards = "[";
    for (std::size_t task = 0; task < run_.tasks.size(); ++task) {
      for (const Edge& edge : run_.tasks[task].after) {
        const char* comma = from.size() > 1 ? "," : "";
        fmt::format_to(std::back_inserter(from), "{}{}", comma, task - edge.from);
        fmt::format_to(std::back_inserter(hazards), "{}{}", comma, static_cast<int>(edge.hazard));
      }
    }
    add("from", from + "]");
    add("hazards", hazards + "]");
  }

  /// Of each task how long it waited for what it depends on, for its lane and to be launched, and the dependency.
  void add_waiting() {
    const LaneOrder order(run_);
    std::string waited = "[", on = "[";
    for (std::size_t index = 0; index < run_.tasks.size(); ++index) {
      const Task& task = run_.tasks[index];
      const Readiness ready = readiness(run_, order, index);
      const Nanoseconds needed = std::max(task.submitted, ready.dependencies);
      const Nanoseconds all = std::max(needed, ready.lane_free);
      const char* comma = index > 0 ? "," : "";
      fmt::format_to(std::back_inserter(waited), "{}{},{},{}", comma, needed - task.submitted, all - needed,
                     task.start - all);
      fmt::format_to(std::back_inserter(on), "{}{}", comma, ready.dependency ? index - *ready.dependency : 0);
    }
    add("waited", waited + "]");
    add("waitedOn", on + "]");
  }

  void add_waits() {
    add_all("waits", run_.waits, [&](const Wait& wait) {
      return fmt::format(R"({{"name":{},"track":{},"cause":{},"start":{},"duration":{},"task":{},"line":{}}})",
                         json_text(wait.name), wait.track, json_text(name(cause_named(wait.cause))),
                         wait.start - begin_, wait.duration(), task_or_none(wait.task), json_text(wait.line));
    });
  }

  void add_counters() {
    add_all("counters", run_.counters, [&](const Counter& counter) {
      std::string times, values;
      for (const Sample& sample : counter.samples) {
        const char* comma = times.empty() ? "" : ",";
        fmt::format_to(std::back_inserter(times), "{}{}", comma, sample.time - begin_);
        fmt::format_to(std::back_inserter(values), "{}{}", comma, sample.value);
      }
      return fmt::format(R"({{"name":{},"unit":{},"times":[{}],"values":[{}]}})", json_text(counter.name),
                         json_text(counter.unit), times, values);
    });
  }

  void add_path() {
    const CriticalPath path = critical_path(run_);
    add_all("path", path.steps, [&](const Step& step) {
      return fmt::format("[{},{},{}]", task_or_none(step.task), step.start - begin_, step.end - begin_);
    });
    std::string parts;
    const auto add_part = [&](std::string_view part, std::string_view cause, Nanoseconds time) {
      parts += fmt::format(R"({}{{"name":"{}","cause":"{}","time":{}}})", parts.empty() ? "" : ",", part, cause, time);
    };
    add_part("tasks", "", path.work);
    add_part("the program itself", "", path.program);
    for (int number = 0; number < cause_count; ++number) {
      const std::string_view cause = name(static_cast<Cause>(number));
      add_part(fmt::format("gaps: {}", cause), cause, path.gaps[static_cast<std::size_t>(number)]);
    }
    add_part("before and after", "", path.rest);
    add("pathParts", "[" + parts + "]");
  }

  void add_tables() {
    const Bound limits = bound(run_);
    add("bound", fmt::format(R"({{"total":{},"bound":{},"isLane":{},"lane":{}}})", limits.total, limits.bound(),
                             limits.work >= limits.chain, json_text(limits.busiest)));
    const Overlap both = overlap(run_);
    add("overlap", fmt::format(R"({{"compute":{},"copies":{},"both":{}}})", both.compute, both.copies, both.both));
    add_all("lanes", track_use(run_), [](const TrackUse& use) {
      return fmt::format(R"({{"track":{},"tasks":{},"busy":{}}})", use.track, use.tasks, use.busy);
    });
    add_all("largest", largest_waits(run_), [&](const WaitGroup& group) {
      return fmt::format(R"({{"cause":{},"name":{},"line":{},"count":{},"longest":{},"task":{},"on":{},"advice":{}}})",
                         json_text(name(group.cause)), json_text(group.name), json_text(group.line), group.count,
                         group.longest, task_or_none(group.task), task_or_none(group.on), json_text(group.advice));
    });
    add_all("lines", time_by_line(run_), [&](const LineTime& line) {
      return fmt::format(R"({{"line":{},"index":{},"name":{},"tasks":{},"busy":{}}})", json_text(line.line),
                         strings_.number(line.line), json_text(line.name), line.tasks, line.busy);
    });
  }

  const Run& run_;
  const Nanoseconds begin_;
  Strings strings_;
  std::string text_;
};

}  // namespace

std::string page_data(const Run& run) { return PageData(run).text(); }

}  // namespace stretto::report
