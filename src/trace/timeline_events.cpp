#include "trace/timeline_events.h"

#include <bit>
#include <utility>

#include "trace/event_text.h"

namespace stretto::trace {

std::uint32_t TimelineEvents::make_track(const std::string& name) {
  std::string& text = file_.begin_event();
  text += "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":";
  append_number(text, ++tracks_);
  text += ",\"args\":{\"name\":";
  append_quoted(text, name);
  text += "}}";
  return tracks_;
}

void TimelineEvents::write_task(const Task& task) {
  std::string& text = file_.begin_event();
  text += task.call.head;
  write_position(text, task.track, task.started, task.ended);
  text += ",\"args\":{\"id\":";
  append_number(text, task.id);
  text += task.call.body;
  text += ",\"submitted\":";
  append_microseconds(text, task.submitted - begin_);
  text += ",\"issued\":";
  append_microseconds(text, task.issued - begin_);
  if (task.is_estimated) text += ",\"estimated\":true";
  if (!task.after.empty()) {
    static constexpr const char* names[] = {"raw\"]", "war\"]", "waw\"]", "reuse\"]", "read\"]"};
    text += ",\"after\":[";
    for (const Predecessor& one : task.after)
      for (unsigned hazards = one.hazards; hazards != 0; hazards &= hazards - 1) {
        text += text.back() == '[' ? "[" : ",[";
        append_number(text, one.id);
        text += ",\"";
        text += names[std::countr_zero(hazards)];
      }
    text += ']';
  }
  if (!task.section.empty()) {
    text += ",\"section\":";
    append_quoted(text, task.section);
  }
  if (!task.failure.empty()) {
    text += ",\"failed\":";
    append_quoted(text, task.failure);
  }
  text += "}}";
  for (const Predecessor& one : task.after)
    if (one.track != task.track) write_flow(one, task.track, task.started);
}

void TimelineEvents::write_position(std::string& text, std::uint32_t track, std::int64_t begin, std::int64_t end) {
  text += ",\"pid\":1,\"tid\":";
  append_number(text, track);
  text += ",\"ts\":";
  append_microseconds(text, begin - begin_);
  text += ",\"dur\":";
  append_microseconds(text, end - begin);
}

void TimelineEvents::write_flow(const Predecessor& from, std::uint32_t to, std::int64_t started) {
  const char* const name = (from.hazards & hazards_of(Hazard::read_after_write)) != 0    ? "raw"
                           : (from.hazards & hazards_of(Hazard::write_after_read)) != 0  ? "war"
                           : (from.hazards & hazards_of(Hazard::write_after_write)) != 0 ? "waw"
                                                                                         : "reuse";
  ++flows_;
  const auto write_end = [&](const char* phase, std::uint32_t track, std::int64_t moment) {
    std::string& text = file_.begin_event();
    text += std::string("{\"ph\":") + phase + ",\"cat\":\"dependency\",\"name\":\"" + name + "\",\"id\":";
    append_number(text, flows_);
    text += ",\"pid\":1,\"tid\":";
    append_number(text, track);
    text += ",\"ts\":";
    append_microseconds(text, moment - begin_);
    text += '}';
  };
  write_end("\"s\"", from.track, from.ended);
  write_end("\"f\",\"bp\":\"e\"", to, started);
}

void TimelineEvents::write_wait(const Wait& wait, std::uint32_t track, bool is_for_task) {
  std::string& text = file_.begin_event();
  text += "{\"ph\":\"X\",\"name\":";
  append_quoted(text, wait.awaited == 0 ? std::string(wait.name) : "wait for " + std::string(wait.name));
  text += ",\"cat\":\"wait\"";
  write_position(text, track, wait.began, wait.ended);
  text += std::string(",\"args\":{\"cause\":\"") + wait.cause + "\"";
  if (is_for_task) {
    text += ",\"for\":";
    append_number(text, wait.awaited);
  }
  if (wait.site.known()) {
    text += ",\"line\":";
    append_quoted(text, to_string(wait.site));
  }
  text += "}}";
}

void TimelineEvents::write_counter(const std::string& name, const char* unit, std::int64_t moment,
                                   std::uint64_t value) {
  const auto [known, is_new] = counters_.try_emplace(name, value);
  if (!is_new && std::exchange(known->second, value) == value) return;
  std::string& text = file_.begin_event();
  text += "{\"ph\":\"C\",\"name\":";
  append_quoted(text, name);
  text += ",\"pid\":1,\"ts\":";
  append_microseconds(text, moment - begin_);
  text += std::string(",\"args\":{\"") + unit + "\":";
  append_number(text, value);
  text += "}}";
}

void TimelineEvents::write_dropped(std::int64_t moment, std::uint64_t tasks) {
  std::string& text = file_.begin_event();
  text += "{\"ph\":\"i\",\"s\":\"g\",\"name\":\"dropped\",\"pid\":1,\"tid\":0,\"ts\":";
  append_microseconds(text, moment - begin_);
  text += ",\"args\":{\"tasks\":";
  append_number(text, tasks);
  text += "}}";
}

}  // namespace stretto::trace
