#include "trace/recording.h"

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
  if (!elements.empty()) std::memcpy(record + 1, elements.data(), elements.size_bytes());
}

/// What the thread submits next is in another section than the writer knows of.
void record_section(RecordStream& stream, const SectionPath& path) {
  auto* const record = add<SectionRecord>(stream, path.text().size());
  if (record == nullptr) return;
  record->length = path.text().size();
  put_behind(record, std::span<const char>(path.text()));
  stream.publish();
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
  record->key = submission.key;
  record->id = submission.id;
  record->submitted = submission.submitted;
  record->name = submission.name;
  record->file = submission.site.file;
  record->role = submission.role;
  record->bytes = bytes;
  record->line = submission.site.line;
  record->device_kind = submission.device.kind();
  record->device_index = static_cast<std::uint8_t>(submission.device.index());
  record->operand_words = static_cast<std::uint16_t>(words);
  record->edge_count = edges.size();
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

void record_join(TaskKey key, std::span<const Edge> edges) {
  RecordStream& stream = RecordStream::own();
  auto* const record = add<JoinRecord>(stream, edges.size_bytes());
  if (record == nullptr) return;
  record->key = key;
  record->edge_count = edges.size();
  put_behind(record, edges);
  stream.publish();
}

void record_execution(TaskKey key, std::int64_t started, std::int64_t ended) {
  RecordStream& stream = RecordStream::own();
  auto* const record = add<ExecutionRecord>(stream, 0);
  if (record == nullptr) return;
  record->key = key;
  record->started = started;
  record->ended = ended;
  stream.publish();
}

void record_retirement(const Retirement& retirement) {
  RecordStream& stream = RecordStream::own();
  auto* const record = add<RetirementRecord>(stream, 0);
  if (record == nullptr) return;
  record->retirement = retirement;
  stream.publish();
}

void record_failure(TaskKey key, std::string_view message) {
  RecordStream& stream = RecordStream::own();
  auto* const record = add<FailureRecord>(stream, message.size());
  if (record == nullptr) return;
  record->key = key;
  record->length = message.size();
  put_behind(record, std::span<const char>(message));
  stream.publish();
}

void record_reuse(TaskKey key, std::span<const std::uint64_t> points) {
  RecordStream& stream = RecordStream::own();
  auto* const record = add<ReuseRecord>(stream, points.size_bytes());
  if (record == nullptr) return;
  record->key = key;
  record->point_count = points.size();
  put_behind(record, points);
  stream.publish();
}

void Waiting::record() const {
  RecordStream& stream = RecordStream::own();
  auto* const record = add<WaitRecord>(stream, 0);
  if (record == nullptr) return;
  record->began = began_;
  record->ended = now();
  record->name = name_;
  record->cause = cause_;
  record->file = site_.file;
  record->line = site_.line;
  record->awaited = awaited_;
  stream.publish();
}

void name_thread(std::string_view name) { set_thread_name(name); }

}  // namespace stretto::trace
