#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stretto/base/export.h>

namespace stretto::report {

/// From the start of the recording; differences are durations. A timeline file holds whole nanoseconds.
using Nanoseconds = std::int64_t;

/// What a task does for its device.
enum class Role { compute, to_host, from_host, to_peer };

constexpr bool is_copy(Role role) { return role != Role::compute; }

/// Why one task comes after another: it reads what the other wrote, writes what the other read, writes what the other
/// wrote, or lives in memory that the other gave back.
enum class Hazard { raw, war, waw, reuse };

/// "raw", "war", "waw" or "reuse".
STRETTO_API std::string_view name(Hazard hazard);

/// A task comes after the task at index `from` of the run.
struct Edge {
  std::size_t from;
  Hazard hazard;
};

/// One task that ran. What the file does not say is empty, or 0.
struct Task {
  std::uint64_t id = 0;
  std::string name;
  std::size_t track = 0;  ///< Index into the run's tracks.
  std::string device;     ///< "cpu:0"
  Role role = Role::compute;
  Nanoseconds submitted = 0;
  Nanoseconds issued = 0;  ///< When it was given to its lane, or had become ready on an unordered one.
  Nanoseconds start = 0;
  Nanoseconds end = 0;
  bool is_estimated = false;  ///< The device did not time it: it ran between others that it timed.
  std::string line;           ///< "program.cpp:12"
  std::string shapes;
  std::uint64_t bytes = 0;  ///< Read and written together.
  std::string section;      ///< "layer1/forward"
  std::string failed;       ///< The message, of a task that failed or was skipped.
  std::vector<Edge> after;  ///< Each of an earlier task.

  Nanoseconds duration() const { return end - start; }
};

/// A thread of the program stood still.
struct Wait {
  std::string name;
  std::size_t track = 0;
  std::string cause;  ///< "host read", "wait_all", "back-pressure" or "memory"
  Nanoseconds start = 0;
  Nanoseconds end = 0;
  std::optional<std::size_t> task;  ///< Which it waited for, if for one.
  std::string line;

  Nanoseconds duration() const { return end - start; }
};

struct Sample {
  Nanoseconds time;
  double value;
};

/// A quantity over time, in the order of time.
struct Counter {
  std::string name;  ///< "memory cpu:0"
  std::string unit;  ///< "bytes" or "tasks"
  std::vector<Sample> samples;
};

/// A device as the recording describes it.
struct RecordedDevice {
  std::string name;
  int workers = 0;  ///< Of a CPU device; else 0.
  int streams = 0;  ///< Of another device; else 0.
};

/// A recorded run: what a timeline file holds.
struct STRETTO_API Run {
  std::string version;  ///< Of the library that recorded; empty for a file of another program.
  std::string engine;
  std::string command;
  std::vector<RecordedDevice> devices;
  std::vector<std::string> tracks;  ///< Names; threads of the program first, the others in the order of their names.
  std::vector<Task> tasks;          ///< In the order of their ids: a task comes after those it depends on.
  std::vector<Wait> waits;          ///< In the order of their starts.
  std::vector<Counter> counters;
  std::uint64_t dropped = 0;  ///< Tasks that the recorder says it left out.
  bool cut = false;           ///< The file ends before its end: the program was stopped, or the file is incomplete.

  /// The first submission, start or wait; 0 when there is nothing.
  Nanoseconds begin() const;
  /// The last end of a task or wait; 0 when there is nothing.
  Nanoseconds end() const;
};

/// The run's command without the folder of its program, as a title: "train --epochs 3".
STRETTO_API std::string short_command(const Run& run);

/// Told from time to time which fraction of a file has been read, from 0 to 1.
using Progress = std::function<void(double fraction)>;

/// Reads a timeline file, blocking until it is read: one that STRETTO_TRACE wrote, whole or cut anywhere, or any JSON
/// in the trace event format, an array of events or an object with "traceEvents". Throws FileError, which names the
/// file and what is wrong with it, for one that cannot be read, is empty, or is something else.
STRETTO_API Run read_run(const std::string& path, const Progress& progress = {});

}  // namespace stretto::report
