#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "trace/call_text.h"
#include "trace/event_file.h"
#include "trace/recording.h"
#include "trace/records.h"

namespace stretto::trace {

/// The events of a timeline, as they stand in its file. Moments are nanoseconds; those in the file count from `begin`.
class TimelineEvents {
 public:
  /// What a task comes after, with no join in the way.
  struct Predecessor {
    TaskId id;
    Hazards hazards;
    std::int64_t ended;
    std::uint32_t track;
  };
  struct Task {
    TaskId id;
    const Call& call;
    std::uint32_t track;
    std::int64_t submitted;
    std::int64_t issued;
    std::int64_t started;
    std::int64_t ended;
    bool is_estimated;  ///< When it started and ended.
    std::span<const Predecessor> after;
    std::string_view section;  ///< As it stands in the event, with a comma in front; empty for none.
    std::string_view failure;  ///< Empty for none.
  };

  TimelineEvents(EventFile& file, std::int64_t begin) : file_(file), begin_(begin) {}

  /// The number of a new track.
  std::uint32_t make_track(const std::string& name);
  /// The task, and the arrows to it from other tracks.
  void write_task(const Task& task);
  /// `is_for_task`: what is awaited stands in the file.
  void write_wait(const Wait& wait, std::uint32_t track, bool is_for_task);
  /// Nothing where the counter has this value already.
  void write_counter(const std::string& name, const char* unit, std::int64_t moment, std::uint64_t value);
  void write_dropped(std::int64_t moment, std::uint64_t tasks);

 private:
  void write_flow(const Predecessor& from, std::uint32_t to, std::int64_t started);
  char* put_position(char* at, std::uint32_t track, std::int64_t begin, std::int64_t end) const;

  EventFile& file_;
  const std::int64_t begin_;
  std::map<std::string, std::uint64_t> counters_;
  std::uint32_t tracks_ = 0;
  std::uint64_t flows_ = 0;
};

}  // namespace stretto::trace
