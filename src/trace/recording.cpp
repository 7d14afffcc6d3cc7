#include "trace/recording.h"

#include <cstddef>
#include <cstring>

#include "base/thread.h"
#include "trace/records.h"
#include "trace/section_path.h"
#include "trace/writer.h"

namespace stretto::trace {
namespace {

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
bool record_list(RecordStream& stream, TaskKey key, std::span<const Element> list) {
  auto* const record = add<Record>(stream, list.size_bytes());
  if (record == nullptr) return false;
  record->key = key;
  record->count = list.size();
  put_behind(record, list);
  stream.publish();
  return true;
}

/// What the thread submits next is in another section than the writer knows of.
void record_section(RecordStream& stream, const SectionPath& path) {
  if (!record_list<SectionRecord>(stream, 0, std::span<const char>(path.text()))) return;
  stream.section_version = path.version();
  stream.session = session_number();
}

}  // namespace

constinit std::atomic<bool> is_recording{false};

std::int64_t now() { return nanoseconds_now(); }

void record_submission(const Submission& submission, std::span<const Edge> edges, std::span<const Operand> operands) {
  RecordStream& stream = RecordStream::own();
  const SectionPath& path = SectionPath::own();
  if (stream.session != session_number() || stream.section_version != path.version()) [[unlikely]]
    record_section(stream, path);
  std::size_t words = 0;
  std::uint64_t bytes = submission.bytes;
  for (const Operand& operand : operands) {
    std::uint64_t elements = 1;
    for (const std::int64_t extent : *operand.shape) elements *= static_cast<std::uint64_t>(extent);
    bytes += elements * item_size(operand.dtype) * ((operand.is_read ? 1 : 0) + (operand.is_written ? 1 : 0));
    words += 1 + static_cast<std::size_t>(operand.shape->rank());
  }
  auto* const record = add<SubmissionRecord>(stream, edges.size_bytes() + 8 * words, false);
  if (record == nullptr) return;
  record->value = submission;
  record->value.bytes = bytes;
  record->edge_count = static_cast<std::uint32_t>(edges.size());
  record->operand_words = static_cast<std::uint32_t>(words);
  put_behind(record, edges);
  auto* word = reinterpret_cast<std::uint64_t*>(record + 1) + edges.size();
  for (const Operand& operand : operands) {
    *word++ = static_cast<std::uint64_t>(operand.dtype) |
              static_cast<std::uint64_t>(operand.shape->rank()) << operand_rank_shift |
              (operand.is_read ? operand_is_read : 0) | (operand.is_written ? operand_is_written : 0);
    for (const std::int64_t extent : *operand.shape) *word++ = static_cast<std::uint64_t>(extent);
  }
  stream.publish();
}

void record_join(TaskKey key, std::span<const Edge> edges) { record_list<JoinRecord>(RecordStream::own(), key, edges); }

void record_execution(TaskKey key, std::int64_t started, std::int64_t ended) {
  record_value<ExecutionRecord>(Execution{key, started, ended});
}

void record_retirement(const Retirement& retirement) { record_value<RetirementRecord>(retirement); }

void record_failure(TaskKey key, std::string_view message) {
  record_list<FailureRecord>(RecordStream::own(), key, std::span<const char>(message));
}

void record_reuse(TaskKey key, std::span<const std::uint64_t> points) {
  record_list<ReuseRecord>(RecordStream::own(), key, points);
}

void Waiting::record() const { record_value<WaitRecord>(Wait{began_, now(), name_, cause_, site_, awaited_}); }

void name_thread(std::string_view name) { set_thread_name(name); }

}  // namespace stretto::trace
