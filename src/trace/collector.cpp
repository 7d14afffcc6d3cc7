#include "trace/collector.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "trace/event_text.h"

namespace stretto::trace {
namespace {

/// So many nanoseconds before it is done a thread may look at the time (Ticks).
constexpr std::int64_t early_look = 1000;

template <typename Record>
const Record& as(const RecordHeader& header) {
  return reinterpret_cast<const Record&>(header);
}

}  // namespace

Collector::Collector(EventFile& file, const TickClock& clock, std::int64_t begin)
    : events_(file, begin), clock_(clock), begin_(begin) {}
Collector::~Collector() = default;

// --- Reading
// -------------------------------------------------------------------------------------------------------------

Collector::Node* Collector::node(TaskId id) {
  return nodes_.get(id, [this](Node& oldest) {
    if (oldest.pending == nullptr) return;
    if (oldest.pending->call != nullptr) ++lost_;
    recycle(*oldest.pending);
  });
}

void Collector::Pending::set_edges(std::span<const Edge> edges) {
  edge_count = static_cast<std::uint32_t>(edges.size());
  if (edges.size() <= most_edges) {
    std::ranges::copy(edges, few_edges.begin());
  } else {
    rarely().more_edges.assign(edges.begin(), edges.end());
  }
}

Collector::Pending& Collector::pending(Node& node) {
  if (node.pending == nullptr) {
    if (spare_.empty()) {
      node.pending = &pendings_.emplace_back();
    } else {
      node.pending = spare_.back();
      spare_.pop_back();
    }
  }
  return *node.pending;
}

/// Keeps it for another task: the one that was used last is taken next, as it is in a cache.
void Collector::recycle(Pending& pending) {
  pending.call = {};
  pending.issued = no_time;
  pending.is_estimated = false;
  pending.edge_count = 0;
  pending.rare.reset();
  spare_.push_back(&pending);
}

std::optional<std::int64_t> Collector::moment_of(const RecordHeader& header) const {
  switch (header.kind) {
    case RecordKind::submission: return clock_.nanoseconds(as<SubmissionRecord>(header).submitted);
    case RecordKind::execution: return clock_.nanoseconds(as<ExecutionRecord>(header).value.ended);
    case RecordKind::wait: return clock_.nanoseconds(as<WaitRecord>(header).value.ended);
    case RecordKind::retirement: return as<RetirementRecord>(header).value.ended;
    case RecordKind::call:
    case RecordKind::join:
    case RecordKind::failure:
    case RecordKind::reuse:
    case RecordKind::section: break;
  }
  return std::nullopt;
}

void Collector::read(const RecordHeader& header, RecordStream& stream) {
  switch (header.kind) {
    case RecordKind::call: {
      const auto& record = as<CallRecord>(header);
      if (stream.calls.size() <= record.place) stream.calls.resize(record.place + 1);
      stream.calls[record.place] = CallReference(record.words());
      break;
    }
    case RecordKind::submission: read_submission(as<SubmissionRecord>(header), stream); break;
    case RecordKind::join: {
      const auto& record = as<JoinRecord>(header);
      numbers_.put(record.key, record.id);
      if (Node* const known = node(record.id))
        known->joined = std::make_unique<std::vector<Edge>>(record.edges().begin(), record.edges().end());
      break;
    }
    case RecordKind::execution: read_execution(as<ExecutionRecord>(header).value, stream); break;
    case RecordKind::retirement: read_retirement(as<RetirementRecord>(header).value); break;
    case RecordKind::failure: {
      const auto& record = as<FailureRecord>(header);
      const std::span<const char> message = record.list();
      if (Node* const known = node(record.id)) pending(*known).rarely().failure.assign(message.begin(), message.end());
      break;
    }
    case RecordKind::reuse: {
      const auto& record = as<ReuseRecord>(header);
      const std::span<const std::uint64_t> points = record.list();
      Node* const known = node(record.id);
      if (known == nullptr) break;
      std::vector<std::uint64_t>& reused = pending(*known).rarely().reused;
      reused.insert(reused.end(), points.begin(), points.end());
      break;
    }
    case RecordKind::wait: {
      Wait wait = as<WaitRecord>(header).value;
      wait.began = clock_.nanoseconds(wait.began);
      wait.ended = clock_.nanoseconds(wait.ended);
      if (wait.began >= begin_) waits_later_.emplace_back(wait, track_of(stream));
      break;
    }
    case RecordKind::section: read_section(as<SectionRecord>(header), stream); break;
  }
}

void Collector::read_submission(const SubmissionRecord& record, const RecordStream& stream) {
  const std::int64_t submitted = clock_.nanoseconds(record.submitted);
  // What was left for the recording before this one may name a call that nobody knows any more.
  if (submitted < begin_ || record.call >= stream.calls.size() || stream.calls[record.call] == nullptr) return;
  numbers_.put(record.key, record.id);
  Node* const known = node(record.id);
  if (known == nullptr) {
    ++lost_;
    return;
  }
  known->is_submitted = true;
  Pending& task = pending(*known);
  task.call = stream.calls[record.call];
  task.submitted = submitted;
  task.section = stream.section;
  task.set_edges(record.edges());
  complete(record.id, *known);
}

void Collector::read_execution(const Execution& record, RecordStream& stream) {
  const std::int64_t started = clock_.nanoseconds(record.started);
  if (started < begin_) return;
  if (Node* const known = node(record.id))
    note_end(record.id, *known, started, clock_.nanoseconds(record.ended), track_of(stream));
}

void Collector::read_retirement(const Retirement& record) {
  if (record.issued < begin_) return;
  Node* const known = node(record.id);
  if (known == nullptr) return;
  Pending& task = pending(*known);
  task.issued = record.issued;
  task.is_estimated = record.is_estimated;
  ids_of_points_[record.point] = record.id;
  points_.push_back(record.point);
  if (points_.size() > remembered) {
    ids_of_points_.erase(points_.front());
    points_.pop_front();
  }
  note_end(record.id, *known, record.started, record.ended, track_of(record.track));
}

void Collector::note_end(TaskId id, Node& known, std::int64_t started, std::int64_t ended, std::uint32_t track) {
  pending(known).started = started;
  known.ended = ended;
  known.track = track;
  complete(id, known);
}

void Collector::complete(TaskId id, const Node& known) {
  if (known.pending->call != nullptr && known.ended >= 0) complete_later_.push_back(id);
}

void Collector::read_section(const SectionRecord& record, RecordStream& stream) {
  const std::string_view path(record.list().data(), record.list().size());
  auto found = section_numbers_.find(path);
  if (found == section_numbers_.end()) {
    found = section_numbers_.emplace(path, static_cast<std::uint32_t>(sections_.size())).first;
    append_quoted(sections_.emplace_back(",\"section\":"), path);
  }
  stream.section = found->second;
}

// --- Writing
// -------------------------------------------------------------------------------------------------------------

void Collector::end_pass() {
  for (const TaskId id : complete_)
    if (Node* const known = nodes_.find(id)) write_task(id, *known);
  for (const auto& [wait, track] : waits_) {
    const Node* const awaited = wait.awaited == 0 ? nullptr : nodes_.find(wait.awaited);
    events_.write_wait(wait, track, awaited != nullptr && awaited->is_submitted);
  }
  complete_.swap(complete_later_);
  complete_later_.clear();
  waits_.swap(waits_later_);
  waits_later_.clear();
}

void Collector::end() {
  end_pass();
  end_pass();
  if (lost_ > 0) events_.write_dropped(begin_, lost_);
}

std::uint32_t Collector::track_of(RecordStream& stream) {
  if (stream.track == 0) {
    std::string name = stream.name();
    if (name.empty() && ++program_tracks_ == 1) name = "program";
    if (name.empty()) name = "program " + std::to_string(program_tracks_);
    stream.track = events_.make_track(name);
  }
  return stream.track;
}

std::uint32_t Collector::track_of(Track lane) {
  std::uint32_t& track = lane_tracks_[lane];
  if (track == 0) track = events_.make_track(name_of(lane));
  return track;
}

/// Notes whom `edges` lead to, with these hazards or their own, for `predecessors_of` to look at.
void Collector::open(std::span<const Edge> edges, Hazards hazards) {
  for (const Edge edge : edges)
    if (const TaskId id = numbers_.find(key_of(edge)); id != 0)
      open_.emplace_back(id, hazards != 0 ? hazards : hazards_of(edge));
}

/// Valid until the next call.
std::span<const TimelineEvents::Predecessor> Collector::predecessors_of(const Pending& task) {
  found_.clear();
  if (!seen_.empty()) seen_.clear();
  open(task.edges(), 0);
  if (task.rare != nullptr)
    for (const std::uint64_t point : task.rare->reused)
      if (const auto id = ids_of_points_.find(point); id != ids_of_points_.end())
        open_.emplace_back(id->second, hazards_of(Hazard::block_reuse));
  while (!open_.empty()) {
    const auto [id, hazards] = open_.back();
    open_.pop_back();
    const Node* const before = nodes_.find(id);
    if (before == nullptr) continue;
    if (before->joined != nullptr) {
      if (seen_.insert(before).second) open(*before->joined, hazards);
    } else if (before->ended >= 0 && before->is_submitted) {
      found_.push_back({id, hazards, before->ended, before->track});
    }
  }
  std::ranges::sort(found_, {}, &TimelineEvents::Predecessor::id);
  std::size_t kept = 0;
  for (const TimelineEvents::Predecessor& one : found_) {
    if (kept > 0 && found_[kept - 1].id == one.id) {
      found_[kept - 1].hazards |= one.hazards;
    } else {
      found_[kept++] = one;
    }
  }
  found_.resize(kept);
  return found_;
}

void Collector::write_task(TaskId id, Node& known) {
  if (known.pending == nullptr || known.pending->call == nullptr) return;
  Pending& task = *std::exchange(known.pending, nullptr);
  const std::span<const TimelineEvents::Predecessor> after = predecessors_of(task);
  if (task.issued == no_time) {
    // A worker's task is ready once all that it comes after has ended.
    task.issued = task.submitted;
    for (const TimelineEvents::Predecessor& one : after) task.issued = std::max(task.issued, one.ended);
    // Its thread may have looked at the time a little before it saw that.
    if (task.started < task.issued && task.issued - task.started <= early_look)
      task.started = std::min(task.issued, known.ended);
    task.issued = std::min(task.issued, task.started);
  }
  task.submitted = std::min(task.submitted, task.issued);
  events_.write_task({.id = id,
                      .call = *task.call,
                      .track = known.track,
                      .submitted = task.submitted,
                      .issued = task.issued,
                      .started = task.started,
                      .ended = known.ended,
                      .is_estimated = task.is_estimated,
                      .after = after,
                      .section = sections_[task.section],
                      .failure = task.rare == nullptr ? std::string_view() : task.rare->failure});
  recycle(task);
}

}  // namespace stretto::trace
