#include "trace/recording.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/fork.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "trace/records.h"
#include "trace/section_path.h"
#include "trace/writer.h"

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

/// A record with `tail` bytes behind it, in the calling thread's stream; null when it is dropped.
template <typename Record>
Record* add(RecordStream& stream, std::size_t tail, bool must_keep = true) {
  const std::size_t bytes = (sizeof(Record) + tail + 7) & ~std::size_t{7};
  auto* const record = reinterpret_cast<Record*>(stream.reserve(bytes, must_keep));
  if (record != nullptr) record->header = {Record::kind, static_cast<std::uint32_t>(bytes)};
  return record;
}

template <typename Record, typename Element>
void put_behind(Record* record, std::span<const Element> elements) {
  if (!elements.empty()) std::memcpy(reinterpret_cast<std::byte*>(record + 1), elements.data(), elements.size_bytes());
}

/// The same of the edges of a task, which are mostly few: no function is called.
template <typename Record>
void put_edges_behind(Record* record, std::span<const Edge> edges) {
  auto* to = reinterpret_cast<Edge*>(record + 1);
  for (const Edge edge : edges) *to++ = edge;
}

template <typename Record, typename Value>
void record_value(const Value& value) {
  RecordStream& stream = RecordStream::own();
  auto* const record = add<Record>(stream, 0);
  if (record == nullptr) return;
  record->value = value;
  stream.publish();
}

/// Whether there was room for it.
template <typename Record, typename Element>
bool record_list(RecordStream& stream, TaskId id, std::span<const Element> list) {
  auto* const record = add<Record>(stream, list.size_bytes());
  if (record == nullptr) return false;
  record->id = id;
  record->count = list.size();
  put_behind(record, list);
  stream.publish();
  return true;
}

/// What the thread submits next is in another section than the writer knows of, or in another recording.
void record_section(RecordStream& stream, const SectionPath& path) {
  if (stream.call_places == nullptr) stream.call_places = std::make_unique<CallPlaces>();
  if (stream.session != session_number()) stream.call_places->clear();
  if (!record_list<SectionRecord>(stream, 0, std::span<const char>(path.text()))) return;
  stream.section_version = path.version();
  stream.session = session_number();
}

/// A call as words.
class CallWords {
 public:
  CallWords(const Submission& submission, std::span<const Operand> operands) {
    std::size_t count = call_operands;
    for (const Operand& operand : operands) count += 1 + static_cast<std::size_t>(operand.shape->rank());
    std::uint64_t* word = few_.data();
    if (count > few_.size()) {
      many_.resize(count);
      word = many_.data();
    }
    words_ = {word, count};
    word[call_name] = reinterpret_cast<std::uintptr_t>(submission.name);
    word[call_file] = reinterpret_cast<std::uintptr_t>(submission.site.file);
    word[call_line] = submission.site.line;
    word[call_device] = static_cast<std::uint64_t>(submission.device.index()) << 8 |
                        static_cast<std::uint64_t>(submission.device.kind());
    word[call_role] = reinterpret_cast<std::uintptr_t>(submission.role);
    word[call_bytes] = submission.bytes;
    word += call_operands;
    for (const Operand& operand : operands) {
      *word++ = static_cast<std::uint64_t>(operand.dtype) |
                static_cast<std::uint64_t>(operand.shape->rank()) << operand_rank_shift |
                (operand.is_read ? operand_is_read : 0) | (operand.is_written ? operand_is_written : 0);
      for (const std::int64_t extent : *operand.shape) *word++ = static_cast<std::uint64_t>(extent);
    }
  }
  CallWords(const CallWords&) = delete;
  CallWords& operator=(const CallWords&) = delete;

  std::span<const std::uint64_t> get() const { return words_; }

 private:
  std::array<std::uint64_t, CallPlaces::most_words> few_;
  std::vector<std::uint64_t> many_;
  std::span<const std::uint64_t> words_;
};

/// Whether there was room for it.
bool record_call(RecordStream& stream, std::uint32_t place, std::span<const std::uint64_t> words) {
  auto* const record = add<CallRecord>(stream, words.size_bytes());
  if (record == nullptr) return false;
  record->place = place;
  record->word_count = static_cast<std::uint32_t>(words.size());
  put_behind(record, words);
  stream.publish();
  stream.call_places->put(place, words);
  return true;
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

constinit std::atomic<bool> is_recording{false};

std::int64_t now() { return nanoseconds_now(); }

void record_submission(const Submission& submission, std::span<const Edge> edges, std::span<const Operand> operands) {
  RecordStream& stream = RecordStream::own();
  const SectionPath& path = stream.section_path;
  if (stream.session != session_number() || stream.section_version != path.version()) [[unlikely]]
    record_section(stream, path);
  const CallWords words(submission, operands);
  const std::uint32_t call = CallPlaces::place_of(words.get());
  if (!stream.call_places->has(call, words.get()) && !record_call(stream, call, words.get())) [[unlikely]]
    return;
  auto* const record = add<SubmissionRecord>(stream, edges.size_bytes(), false);
  if (record == nullptr) return;
  record->key = submission.key;
  record->id = submission.id;
  record->submitted = submission.submitted;
  record->call = call;
  record->edge_count = static_cast<std::uint32_t>(edges.size());
  put_edges_behind(record, edges);
  stream.publish();
}

void record_join(TaskKey key, TaskId id, std::span<const Edge> edges) {
  RecordStream& stream = RecordStream::own();
  auto* const record = add<JoinRecord>(stream, edges.size_bytes());
  if (record == nullptr) return;
  record->key = key;
  record->id = id;
  record->edge_count = edges.size();
  put_behind(record, edges);
  stream.publish();
}

void record_execution(TaskId id, Ticks started, Ticks ended) {
  record_value<ExecutionRecord>(Execution{id, started, ended});
}

void record_retirement(const Retirement& retirement) { record_value<RetirementRecord>(retirement); }

void record_failure(TaskId id, std::string_view message) {
  record_list<FailureRecord>(RecordStream::own(), id, std::span<const char>(message));
}

void record_reuse(TaskId id, std::span<const std::uint64_t> points) {
  record_list<ReuseRecord>(RecordStream::own(), id, points);
}

void Waiting::record() const { record_value<WaitRecord>(Wait{began_, ticks(), name_, cause_, site_, awaited_}); }

void name_thread(std::string_view name) { set_thread_name(name); }

}  // namespace stretto::trace
