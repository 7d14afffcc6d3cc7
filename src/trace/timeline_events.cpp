#include "trace/timeline_events.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string_view>
#include <utility>

#include "trace/event_text.h"

namespace stretto::trace {

namespace {

constexpr std::size_t most_hazards = 5;
constexpr const char* hazard_names[most_hazards] = {"raw", "war", "waw", "reuse", "read"};
/// What stands around the texts of an event, and its numbers. One more than enough is cheap.
constexpr std::size_t most_around = 400;
constexpr std::size_t most_of_edge = 32 + most_digits;

/// The kind of an arrow: the first of its hazards.
std::string_view first_name(Hazards hazards) {
  return hazard_names[std::min(std::countr_zero(unsigned{hazards}), std::countr_zero(hazards_of(Hazard::block_reuse)))];
}

}  // namespace

std::uint32_t TimelineEvents::make_track(const std::string& name) {
  std::string text = "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":";
  append_number(text, ++tracks_);
  text += ",\"args\":{\"name\":";
  append_quoted(text, name);
  text += "}}";
  file_.write_event(text);
  return tracks_;
}

void TimelineEvents::write_task(const Task& task) {
  std::string failure;
  if (!task.failure.empty()) append_quoted(failure, task.failure);
  char* at = file_.begin_event(most_around + task.call.head.size() + task.call.body.size() + task.section.size() +
                               failure.size() + task.after.size() * most_hazards * most_of_edge);
  at = put(at, task.call.head);
  at = put_position(at, task.track, task.started, task.ended);
  at = put(at, ",\"args\":{\"id\":");
  at = put_number(at, task.id);
  at = put(at, task.call.body);
  at = put(at, ",\"submitted\":");
  at = put_microseconds(at, task.submitted - begin_);
  at = put(at, ",\"issued\":");
  at = put_microseconds(at, task.issued - begin_);
  if (task.is_estimated) at = put(at, ",\"estimated\":true");
  if (!task.after.empty()) {
    at = put(at, ",\"after\":[");
    for (const Predecessor& one : task.after)
      for (unsigned hazards = one.hazards; hazards != 0; hazards &= hazards - 1) {
        *at++ = '[';
        at = put_number(at, one.id);
        at = put(at, ",\"");
        at = put(at, hazard_names[std::countr_zero(hazards)]);
        at = put(at, "\"],");
      }
    at[-1] = ']';
  }
  at = put(at, task.section);
  if (!failure.empty()) {
    at = put(at, ",\"failed\":");
    at = put(at, failure);
  }
  at = put(at, "}}");
  file_.end_event(at);
  for (const Predecessor& one : task.after)
    if (one.track != task.track) write_flow(one, task.track, task.started);
}

char* TimelineEvents::put_position(char* at, std::uint32_t track, std::int64_t begin, std::int64_t end) const {
  at = put(at, ",\"pid\":1,\"tid\":");
  at = put_number(at, track);
  at = put(at, ",\"ts\":");
  at = put_microseconds(at, begin - begin_);
  at = put(at, ",\"dur\":");
  return put_microseconds(at, end - begin);
}

void TimelineEvents::write_flow(const Predecessor& from, std::uint32_t to, std::int64_t started) {
  const std::string_view name = first_name(from.hazards);
  ++flows_;
  const auto write_end = [&](std::string_view phase, std::uint32_t track, std::int64_t moment) {
    char* at = file_.begin_event(most_around);
    at = put(at, phase);
    at = put(at, ",\"cat\":\"dependency\",\"name\":\"");
    at = put(at, name);
    at = put(at, "\",\"id\":");
    at = put_number(at, flows_);
    at = put(at, ",\"pid\":1,\"tid\":");
    at = put_number(at, track);
    at = put(at, ",\"ts\":");
    at = put_microseconds(at, moment - begin_);
    *at++ = '}';
    file_.end_event(at);
  };
  write_end("{\"ph\":\"s\"", from.track, from.ended);
  write_end("{\"ph\":\"f\",\"bp\":\"e\"", to, started);
}

void TimelineEvents::write_wait(const Wait& wait, std::uint32_t track, bool is_for_task) {
  std::string text = "{\"ph\":\"X\",\"name\":";
  append_quoted(text, wait.awaited == 0 ? std::string(wait.name) : "wait for " + std::string(wait.name));
  text += ",\"cat\":\"wait\"";
  char position[most_around];
  text.append(position, put_position(position, track, wait.began, wait.ended));
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
  file_.write_event(text);
}

void TimelineEvents::write_counter(const std::string& name, const char* unit, std::int64_t moment,
                                   std::uint64_t value) {
  const auto [known, is_new] = counters_.try_emplace(name, value);
  if (!is_new && std::exchange(known->second, value) == value) return;
  std::string text = "{\"ph\":\"C\",\"name\":";
  append_quoted(text, name);
  text += ",\"pid\":1,\"ts\":";
  append_microseconds(text, moment - begin_);
  text += std::string(",\"args\":{\"") + unit + "\":";
  append_number(text, value);
  text += "}}";
  file_.write_event(text);
}

void TimelineEvents::write_dropped(std::int64_t moment, std::uint64_t tasks) {
  std::string text = "{\"ph\":\"i\",\"s\":\"g\",\"name\":\"dropped\",\"pid\":1,\"tid\":0,\"ts\":";
  append_microseconds(text, moment - begin_);
  text += ",\"args\":{\"tasks\":";
  append_number(text, tasks);
  text += "}}";
  file_.write_event(text);
}

}  // namespace stretto::trace
