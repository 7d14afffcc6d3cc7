#pragma once

#include <cstdint>
#include <span>

#include "trace/record_stream.h"
#include "trace/recording.h"

// How records lie in a stream.

namespace stretto::trace {

/// One value.
template <RecordKind which, typename Value>
struct ValueRecord {
  static constexpr RecordKind kind = which;
  RecordHeader header;
  Value value;
};

/// A task's list, which follows.
template <RecordKind which, typename Element>
struct ListRecord {
  static constexpr RecordKind kind = which;
  RecordHeader header;
  TaskId id;  ///< 0 where it is no task's.
  std::uint64_t count;

  std::span<const Element> list() const { return {reinterpret_cast<const Element*>(this + 1), count}; }
};

/// Followed by the edges.
struct JoinRecord {
  static constexpr RecordKind kind = RecordKind::join;
  RecordHeader header;
  TaskKey key;
  TaskId id;
  std::uint64_t edge_count;

  std::span<const Edge> edges() const { return {reinterpret_cast<const Edge*>(this + 1), edge_count}; }
};

/// Followed by the edges.
struct SubmissionRecord {
  static constexpr RecordKind kind = RecordKind::submission;
  RecordHeader header;
  TaskKey key;
  TaskId id;
  Ticks submitted;
  std::uint32_t call;  ///< The place of what was said last of it in this stream.
  std::uint32_t edge_count;

  std::span<const Edge> edges() const { return {reinterpret_cast<const Edge*>(this + 1), edge_count}; }
};

/// What is the same for many tasks, as words (call_places.h), which follow.
struct CallRecord {
  static constexpr RecordKind kind = RecordKind::call;
  RecordHeader header;
  std::uint32_t place;
  std::uint32_t word_count;

  std::span<const std::uint64_t> words() const {
    return {reinterpret_cast<const std::uint64_t*>(this + 1), word_count};
  }
};

// The words of a call, in front of those of its operands.
enum CallWord : std::size_t { call_name, call_file, call_line, call_device, call_role, call_bytes, call_operands };

// An operand: a word of these, then its extents.
inline constexpr int operand_rank_shift = 8;
inline constexpr std::uint64_t operand_is_read = 1 << 16;
inline constexpr std::uint64_t operand_is_written = 1 << 17;

struct Execution {
  TaskId id;
  Ticks started;
  Ticks ended;
};

struct Wait {
  Ticks began;
  Ticks ended;
  const char* name;
  const char* cause;
  CallSite site;
  TaskId awaited;
};

using ExecutionRecord = ValueRecord<RecordKind::execution, Execution>;
using RetirementRecord = ValueRecord<RecordKind::retirement, Retirement>;
using WaitRecord = ValueRecord<RecordKind::wait, Wait>;

using FailureRecord = ListRecord<RecordKind::failure, char>;
using ReuseRecord = ListRecord<RecordKind::reuse, std::uint64_t>;  ///< Of points.
/// The path of the section that what the thread submits from here on is in.
using SectionRecord = ListRecord<RecordKind::section, char>;

}  // namespace stretto::trace
