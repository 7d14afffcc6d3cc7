#include "trace/collector.h"

#include <algorithm>
#include <bit>

#include "base/fork.h"
#include "base/mutex.h"
#include "trace/event_text.h"

namespace stretto::trace {
namespace {

struct LaneNames {
  LaneNames() { hold_across_fork(mutex); }

  Mutex mutex;
  std::vector<std::string> names STRETTO_GUARDED_BY(mutex);
};

LaneNames& lane_names() {
  static LaneNames& names = *new LaneNames;
  return names;
}

template <typename Record>
const Record& as(const RecordHeader& header) {
  return reinterpret_cast<const Record&>(header);
}

}  // namespace

Track make_track(std::string name) {
  LaneNames& lanes = lane_names();
  const MutexLock lock(lanes.mutex);
  lanes.names.push_back(std::move(name));
  return static_cast<Track>(lanes.names.size() - 1);
}

std::string name_of(Track lane) {
  LaneNames& lanes = lane_names();
  const MutexLock lock(lanes.mutex);
  return lanes.names.at(lane);
}

Collector::Collector(EventFile& file, std::int64_t begin) : file_(file), begin_(begin) {}
Collector::~Collector() = default;

// --- Reading
// -------------------------------------------------------------------------------------------------------------

Collector::Node& Collector::node(TaskKey key) {
  const auto [found, is_new] = nodes_.try_emplace(key);
  if (is_new) {
    order_.push_back(key);
    if (order_.size() > remembered) forget_oldest();
  }
  return found->second;
}

Collector::Pending& Collector::pending(TaskKey key) {
  Node& known = node(key);
  if (known.pending == nullptr) known.pending = std::make_unique<Pending>();
  return *known.pending;
}

void Collector::forget_oldest() {
  const auto oldest = nodes_.find(order_.front());
  order_.pop_front();
  if (oldest->second.pending != nullptr && oldest->second.pending->is_submitted) ++lost_;
  nodes_.erase(oldest);
}

void Collector::read(const RecordHeader& header, RecordStream& stream) {
  switch (header.kind) {
    case RecordKind::submission: read_submission(as<SubmissionRecord>(header), stream); break;
    case RecordKind::join: {
      const auto& record = as<JoinRecord>(header);
      const std::span<const Edge> edges = record.list();
      node(record.key).joined = std::make_unique<std::vector<Edge>>(edges.begin(), edges.end());
      break;
    }
    case RecordKind::execution: read_execution(as<ExecutionRecord>(header).value, stream); break;
    case RecordKind::retirement: read_retirement(as<RetirementRecord>(header).value); break;
    case RecordKind::failure: {
      const auto& record = as<FailureRecord>(header);
      const std::span<const char> message = record.list();
      pending(record.key).failure.assign(message.begin(), message.end());
      break;
    }
    case RecordKind::reuse: {
      const auto& record = as<ReuseRecord>(header);
      const std::span<const std::uint64_t> points = record.list();
      std::vector<std::uint64_t>& reused = pending(record.key).reused;
      reused.insert(reused.end(), points.begin(), points.end());
      break;
    }
    case RecordKind::wait: {
      const Wait& wait = as<WaitRecord>(header).value;
      if (wait.began >= begin_) waits_later_.emplace_back(wait, track_of(stream));
      break;
    }
    case RecordKind::section: read_section(as<SectionRecord>(header), stream); break;
  }
}

void Collector::read_submission(const SubmissionRecord& record, const RecordStream& stream) {
  const Submission& submission = record.value;
  if (submission.submitted < begin_) return;
  Node& known = node(submission.key);
  known.id = submission.id;
  Pending& task = pending(submission.key);
  task.is_submitted = true;
  task.submission = submission;
  task.section = stream.section;
  task.edges.assign(record.edges().begin(), record.edges().end());
  task.operands.assign(record.operands().begin(), record.operands().end());
  complete(submission.key, known);
}

void Collector::read_execution(const Execution& record, RecordStream& stream) {
  if (record.started < begin_) return;
  note_end(record.key, node(record.key), record.started, record.ended, track_of(stream));
}

void Collector::read_retirement(const Retirement& record) {
  if (record.issued < begin_) return;
  pending(record.key).issued = record.issued;
  keys_of_points_[record.point] = record.key;
  points_.push_back(record.point);
  if (points_.size() > remembered) {
    keys_of_points_.erase(points_.front());
    points_.pop_front();
  }
  note_end(record.key, node(record.key), record.started, record.ended, track_of(record.track));
}

void Collector::note_end(TaskKey key, Node& known, std::int64_t started, std::int64_t ended, std::uint32_t track) {
  Pending& task = pending(key);
  task.started = started;
  task.ended = ended;
  known.ended = ended;
  known.track = track;
  complete(key, known);
}

void Collector::complete(TaskKey key, const Node& known) {
  if (known.pending->is_submitted && known.pending->ended >= 0) complete_later_.push_back(key);
}

void Collector::read_section(const SectionRecord& record, RecordStream& stream) {
  const std::string_view path(record.list().data(), record.list().size());
  auto found = section_numbers_.find(path);
  if (found == section_numbers_.end()) {
    found = section_numbers_.emplace(path, static_cast<std::uint32_t>(sections_.size())).first;
    sections_.emplace_back(path);
  }
  stream.section = found->second;
}

// --- Writing
// -------------------------------------------------------------------------------------------------------------

void Collector::end_pass() {
  for (const TaskKey key : complete_)
    if (const auto found = nodes_.find(key); found != nodes_.end()) write_task(found->second);
  for (const auto& [wait, track] : waits_) write_wait(wait, track);
  complete_.swap(complete_later_);
  complete_later_.clear();
  waits_.swap(waits_later_);
  waits_later_.clear();
}

void Collector::end() {
  end_pass();
  end_pass();
  if (lost_ > 0) write_dropped(begin_, lost_);
}

std::uint32_t Collector::make_track(const std::string& name) {
  std::string& text = file_.begin_event();
  text += "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":";
  append_number(text, ++tracks_);
  text += ",\"args\":{\"name\":";
  append_quoted(text, name);
  text += "}}";
  return tracks_;
}

std::uint32_t Collector::track_of(RecordStream& stream) {
  if (stream.track == 0) {
    std::string name = stream.name();
    if (name.empty() && ++program_tracks_ == 1) name = "program";
    if (name.empty()) name = "program " + std::to_string(program_tracks_);
    stream.track = make_track(name);
  }
  return stream.track;
}

std::uint32_t Collector::track_of(Track lane) {
  std::uint32_t& track = lane_tracks_[lane];
  if (track == 0) track = make_track(name_of(lane));
  return track;
}

std::vector<Collector::Predecessor> Collector::predecessors_of(const Pending& task) {
  std::vector<Predecessor> found;
  std::unordered_set<TaskKey> seen;
  std::vector<Edge> open(task.edges.rbegin(), task.edges.rend());
  for (const std::uint64_t point : task.reused)
    if (const auto key = keys_of_points_.find(point); key != keys_of_points_.end())
      open.push_back(edge_to(key->second, hazards_of(Hazard::block_reuse)));
  while (!open.empty()) {
    const Edge edge = open.back();
    open.pop_back();
    const auto known = nodes_.find(key_of(edge));
    if (known == nodes_.end()) continue;
    const Node& before = known->second;
    if (before.joined != nullptr) {
      if (seen.insert(key_of(edge)).second)
        for (const Edge inner : *before.joined) open.push_back(edge_to(key_of(inner), hazards_of(edge)));
    } else if (before.ended >= 0 && before.id != 0) {
      found.push_back({before.id, hazards_of(edge), before.ended, before.track});
    }
  }
  std::ranges::sort(found, {}, &Predecessor::id);
  std::size_t kept = 0;
  for (const Predecessor& one : found) {
    if (kept > 0 && found[kept - 1].id == one.id) {
      found[kept - 1].hazards |= one.hazards;
    } else {
      found[kept++] = one;
    }
  }
  found.resize(kept);
  return found;
}

void Collector::write_task(Node& known) {
  if (known.pending == nullptr) return;
  const std::unique_ptr<Pending> held = std::move(known.pending);
  Pending& task = *held;
  const Submission& submission = task.submission;
  const std::vector<Predecessor> after = predecessors_of(task);
  if (task.issued == no_time) {
    // A worker's task is ready once all that it comes after has ended.
    task.issued = submission.submitted;
    for (const Predecessor& one : after) task.issued = std::max(task.issued, one.ended);
    task.issued = std::min(task.issued, task.started);
  }
  std::string& text = file_.begin_event();
  text += "{\"ph\":\"X\",\"name\":";
  append_quoted(text, submission.name);
  text += ",\"cat\":\"task\"";
  write_position(text, known.track, task.started, task.ended);
  text += ",\"args\":{\"id\":";
  append_number(text, known.id);
  text += ",\"device\":\"" + to_string(submission.device) + "\",\"role\":\"" + submission.role + "\"";
  if (submission.site.known()) {
    text += ",\"line\":";
    append_quoted(text, to_string(submission.site));
  }
  write_operands(text, task.operands);
  if (submission.bytes > 0) {
    text += ",\"bytes\":";
    append_number(text, submission.bytes);
  }
  text += ",\"submitted\":";
  append_microseconds(text, submission.submitted - begin_);
  text += ",\"issued\":";
  append_microseconds(text, task.issued - begin_);
  if (!after.empty()) {
    static constexpr const char* names[] = {"raw", "war", "waw", "reuse", "read"};
    text += ",\"after\":[";
    for (const Predecessor& one : after)
      for (unsigned hazards = one.hazards; hazards != 0; hazards &= hazards - 1) {
        text += text.back() == '[' ? "[" : ",[";
        append_number(text, one.id);
        text += std::string(",\"") + names[std::countr_zero(hazards)] + "\"]";
      }
    text += ']';
  }
  if (task.section != 0) {
    text += ",\"section\":";
    append_quoted(text, sections_[task.section]);
  }
  if (!task.failure.empty()) {
    text += ",\"failed\":";
    append_quoted(text, task.failure);
  }
  text += "}}";
  for (const Predecessor& one : after)
    if (one.track != known.track) write_flow(one, known, task.started);
}

void Collector::write_position(std::string& text, std::uint32_t track, std::int64_t begin, std::int64_t end) {
  text += ",\"pid\":1,\"tid\":";
  append_number(text, track);
  text += ",\"ts\":";
  append_microseconds(text, begin - begin_);
  text += ",\"dur\":";
  append_microseconds(text, end - begin);
}

void Collector::write_operands(std::string& text, const std::vector<std::uint64_t>& words) {
  if (words.empty()) return;
  std::string inputs, outputs;
  for (std::size_t i = 0; i < words.size();) {
    const std::uint64_t operand = words[i++];
    std::string array = "(";
    const auto rank = static_cast<int>(operand >> operand_rank_shift & 0xff);
    for (int axis = 0; axis < rank; ++axis) {
      if (axis > 0) array += ", ";
      append_number(array, words[i++]);
    }
    array += rank == 1 ? ",) " : ") ";
    array += name(static_cast<DType>(operand & 0xff));
    if ((operand & operand_is_read) != 0) inputs += (inputs.empty() ? "" : ", ") + array;
    if ((operand & operand_is_written) != 0) outputs += (outputs.empty() ? "" : ", ") + array;
  }
  text += ",\"shapes\":\"" + inputs;
  if (!outputs.empty()) text += (inputs.empty() ? "-> " : " -> ") + outputs;
  text += '"';
}

void Collector::write_flow(const Predecessor& from, const Node& to, std::int64_t started) {
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
  write_end("\"f\",\"bp\":\"e\"", to.track, started);
}

void Collector::write_wait(const Wait& wait, std::uint32_t track) {
  const auto awaited = wait.awaited == 0 ? nodes_.end() : nodes_.find(wait.awaited);
  const bool is_for_task = awaited != nodes_.end() && awaited->second.id != 0;
  std::string& text = file_.begin_event();
  text += "{\"ph\":\"X\",\"name\":";
  append_quoted(text, wait.awaited == 0 ? std::string(wait.name) : "wait for " + std::string(wait.name));
  text += ",\"cat\":\"wait\"";
  write_position(text, track, wait.began, wait.ended);
  text += std::string(",\"args\":{\"cause\":\"") + wait.cause + "\"";
  if (is_for_task) {
    text += ",\"for\":";
    append_number(text, awaited->second.id);
  }
  if (wait.site.known()) {
    text += ",\"line\":";
    append_quoted(text, to_string(wait.site));
  }
  text += "}}";
}

void Collector::write_counter(const std::string& name, const char* unit, std::int64_t moment, std::uint64_t value) {
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

void Collector::write_dropped(std::int64_t moment, std::uint64_t tasks) {
  std::string& text = file_.begin_event();
  text += "{\"ph\":\"i\",\"s\":\"g\",\"name\":\"dropped\",\"pid\":1,\"tid\":0,\"ts\":";
  append_microseconds(text, moment - begin_);
  text += ",\"args\":{\"tasks\":";
  append_number(text, tasks);
  text += "}}";
}

}  // namespace stretto::trace
