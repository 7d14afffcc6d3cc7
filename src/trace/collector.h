#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "trace/call_text.h"
#include "trace/number_window.h"
#include "trace/recording.h"
#include "trace/records.h"
#include "trace/task_numbers.h"
#include "trace/timeline_events.h"

namespace stretto::trace {

/// Joins the records that belong to one task and writes its events, once it has ended and so has all that it comes
/// after.
///
/// Streams are read one after the other, a stretch of the run in each pass, so that a record may be read before another
/// one that was left earlier, but not before the streams were all gone through once more: what is complete at the end
/// of one pass is written at the end of the next.
class Collector {
 public:
  /// So many tasks are remembered behind those that were submitted last; an edge to an earlier one is left out. It
  /// bounds what a long run takes, and is a property of the program and not of its timing.
  static constexpr std::size_t remembered = std::size_t{1} << 20;

  /// Times in the file count from `begin`, and `clock` tells the ticks.
  Collector(EventFile& file, const TickClock& clock, std::int64_t begin);
  ~Collector();

  /// When the record was left, in nanoseconds; none where it does not say.
  std::optional<std::int64_t> moment_of(const RecordHeader& record) const;
  /// The next record of a stream.
  void read(const RecordHeader& record, RecordStream& stream);
  /// All streams were read as far as they had come, or up to the same moment.
  void end_pass();
  /// Nothing comes any more.
  void end();

  /// For events that are no task's.
  TimelineEvents& events() { return events_; }

 private:
  /// What few tasks have.
  struct Rare {
    std::vector<Edge> more_edges;  ///< All of them, where there are too many.
    std::vector<std::uint64_t> reused;
    std::string failure;
  };
  /// What is known of a task that is not written yet.
  struct Pending {
    static constexpr std::size_t most_edges = 6;

    CallReference call;  ///< None: it is not known to be submitted.
    std::int64_t submitted = 0;
    std::int64_t issued = no_time;  ///< That where it is ready when what it comes after has ended.
    std::int64_t started = -1;
    std::uint32_t section = 0;
    std::uint32_t edge_count = 0;
    std::unique_ptr<Rare> rare;
    bool is_estimated = false;
    std::array<Edge, most_edges> few_edges;

    void set_edges(std::span<const Edge> edges);
    std::span<const Edge> edges() const {
      return edge_count <= most_edges ? std::span(few_edges.data(), edge_count) : std::span(rare->more_edges);
    }
    Rare& rarely() {
      if (rare == nullptr) rare = std::make_unique<Rare>();
      return *rare;
    }
  };
  /// What is remembered of a task. A join is one with edges to go on to.
  struct Node {
    std::int64_t ended = -1;
    std::uint32_t track = 0;
    bool is_submitted = false;
    Pending* pending = nullptr;
    std::unique_ptr<std::vector<Edge>> joined;
  };

  /// Null where it is too long ago.
  Node* node(TaskId id);
  Pending& pending(Node& node);
  void read_submission(const SubmissionRecord& record, const RecordStream& stream);
  void read_execution(const Execution& record, RecordStream& stream);
  void read_retirement(const Retirement& record);
  void read_section(const SectionRecord& record, RecordStream& stream);
  void note_end(TaskId id, Node& node, std::int64_t started, std::int64_t ended, std::uint32_t track);
  void complete(TaskId id, const Node& node);
  void recycle(Pending& pending);

  std::uint32_t track_of(RecordStream& stream);
  std::uint32_t track_of(Track lane);

  void open(std::span<const Edge> edges, Hazards hazards);
  std::span<const TimelineEvents::Predecessor> predecessors_of(const Pending& task);
  void write_task(TaskId id, Node& node);

  TimelineEvents events_;
  const TickClock& clock_;
  const std::int64_t begin_;
  NumberWindow<Node> nodes_{remembered};
  TaskNumbers numbers_{remembered};
  std::deque<Pending> pendings_;  ///< All that were ever needed at once.
  std::vector<Pending*> spare_;   ///< Those of no task.
  // Of `predecessors_of`.
  std::vector<TimelineEvents::Predecessor> found_;
  std::vector<std::pair<TaskId, Hazards>> open_;
  std::unordered_set<const Node*> seen_;
  std::unordered_map<std::uint64_t, TaskId> ids_of_points_;
  std::deque<std::uint64_t> points_;
  std::vector<TaskId> complete_;  ///< At the end of the pass before, and in this one.
  std::vector<TaskId> complete_later_;
  std::vector<std::pair<Wait, std::uint32_t>> waits_;
  std::vector<std::pair<Wait, std::uint32_t>> waits_later_;
  std::vector<std::string> sections_{""};  ///< As they stand in events.
  std::map<std::string, std::uint32_t, std::less<>> section_numbers_{{"", 0}};
  std::unordered_map<Track, std::uint32_t> lane_tracks_;
  std::uint32_t program_tracks_ = 0;
  std::uint64_t lost_ = 0;  ///< Tasks that were forgotten before they were complete.
};

}  // namespace stretto::trace
