#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <stretto/base/call_site.h>
#include <stretto/core/device.h>
#include <stretto/core/dtype.h>
#include <stretto/core/shape.h>

#include "base/prefetch.h"
#include "trace/edge_counter.h"
#include "trace/tick_clock.h"

// What the engine tells while a timeline is recorded. Each call leaves a record in a stream of the calling thread
// (record_stream.h), from where a thread of the recording takes it (writer.h), joins what belongs to one task
// (collector.h) and writes it to the file. Called only while `enabled()`; what is told otherwise is lost.

namespace stretto::trace {

extern std::atomic<bool> is_recording;

/// Whether tasks are recorded. Costs a load.
inline bool enabled() { return is_recording.load(std::memory_order_relaxed); }

/// Nanoseconds, in which all times here are that are no ticks. 0 is a moment like any other where time is counted.
std::int64_t now();
/// In the place of a moment: there was none, or nothing is recorded.
inline constexpr std::int64_t no_time = -1;

/// Which task: its number in the file, which grows with submission; 0 is none.
using TaskId = std::uint64_t;
/// The same as the recorder knows those that a task comes after: another number that no other pending or finished task
/// has.
using TaskKey = std::uint64_t;
constexpr TaskKey key_of(std::uint32_t slot, std::uint32_t generation) {
  return std::uint64_t{generation} << 22 | slot;
}

/// That a task comes after another, and why: the key, with the hazards in the highest byte.
using Edge = std::uint64_t;
constexpr Edge edge_to(TaskKey key, Hazards hazards) { return key | std::uint64_t{hazards} << 56; }
constexpr TaskKey key_of(Edge edge) { return edge & ((std::uint64_t{1} << 56) - 1); }
constexpr Hazards hazards_of(Edge edge) { return static_cast<Hazards>(edge >> 56); }
/// An array that a task works on, as the program sees it.
struct Operand {
  const Shape* shape;
  DType dtype;
  bool is_read;
  bool is_written;
};
/// Asks for the lines of a shape that is about to be recorded: where there are many arrays, nothing else has touched
/// them.
inline void prefetch_shape(const Shape& shape) {
  prefetch_for_read(&shape);
  prefetch_for_read(reinterpret_cast<const std::byte*>(&shape + 1) - 1);
}

struct Submission {
  TaskKey key;
  TaskId id;
  Ticks submitted;
  const char* name;  ///< Lives as long as the process, as the site's file does.
  CallSite site;
  Device device;
  const char* role;     ///< A literal.
  std::uint64_t bytes;  ///< Read and written, beside the operands.
};
/// What is known when a task is submitted. Where the writer does not keep up the task is dropped from the recording,
/// and counted.
void record_submission(const Submission& submission, std::span<const Edge> edges, std::span<const Operand> operands);
/// A task without a slice: who comes after it comes after what it came after.
void record_join(TaskKey key, TaskId id, std::span<const Edge> edges);
/// The calling thread ran the task's body. The slice is the thread's.
void record_execution(TaskId id, Ticks started, Ticks ended);

/// Where the slices of an in-order lane go. Made once; `name` as in "sim:0 to host".
using Track = std::uint32_t;
Track make_track(std::string name);
std::string name_of(Track lane);
struct Retirement {
  TaskId id;
  std::uint64_t point;  ///< A number of this task among all of in-order lanes: what `record_reuse` names it by.
  Track track;
  bool is_estimated;  ///< The device did not time it: it began and ended between others that were timed.
  std::int64_t issued;
  std::int64_t started;
  std::int64_t ended;
};
/// The task has ended on an in-order lane.
void record_retirement(const Retirement& retirement);

/// The task failed or was skipped. Before its execution or retirement is recorded.
void record_failure(TaskId id, std::string_view message);
/// The task got memory that these were still using.
void record_reuse(TaskId id, std::span<const std::uint64_t> points);

/// A thread that waits, while this lives.
class Waiting {
 public:
  /// `name` and `cause` are literals or live as long as the process. With `awaited` the name is that of this task,
  /// which the program waits for. `counts` false: nothing is recorded.
  Waiting(const char* name, const char* cause, CallSite site = {}, TaskId awaited = 0, bool counts = true)
      : began_(enabled() && counts ? ticks() : no_time), name_(name), cause_(cause), site_(site), awaited_(awaited) {}
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    if (began_ != no_time) [[unlikely]]
      record();
  }

 private:
  void record() const;

  Ticks began_;
  const char* name_;
  const char* cause_;
  CallSite site_;
  TaskId awaited_;
};

/// Names the calling thread's track, as in "cpu:0 worker 1". A thread without a name is one of the program.
void name_thread(std::string_view name);

}  // namespace stretto::trace
