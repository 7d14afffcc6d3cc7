#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <stretto/base/call_site.h>
#include <stretto/core/device.h>

namespace stretto::trace {

/// One executed task. Times are nanoseconds of the steady clock.
struct TaskRecord {
  const char* name;  ///< Lives as long as the process.
  CallSite site;
  Device device;
  std::int64_t started;
  std::int64_t ended;
};

/// What one thread of the engine did, in order. The thread is a track of the timeline: a worker, or a stream.
struct Track {
  std::string name;
  std::vector<TaskRecord> records;
};

/// Whether tasks are recorded. Read before and after each body: costs a load.
bool enabled();
void enable(bool on);

/// Names the calling thread's track, as in "cpu:0 worker 1". A thread that records without a name is called by its
/// number.
void name_thread(std::string name);
/// Keeps what the calling thread has just done. At most `track_capacity` records a track; later ones are counted as
/// dropped.
void record(const TaskRecord& record);
inline constexpr std::size_t track_capacity = 1 << 20;

std::int64_t now();

/// All tracks so far, in the order in which their threads began. Call while no task runs.
std::vector<Track> snapshot();
std::uint64_t dropped();
/// Forgets all records.
void clear();

/// The tracks in the trace event format that Perfetto and Chrome open: times in microseconds from the first start.
std::string to_trace_events(const std::vector<Track>& tracks);
/// Writes `to_trace_events(snapshot())`. Throws FileError when the file cannot be written.
void write_file(const std::string& path);

}  // namespace stretto::trace
