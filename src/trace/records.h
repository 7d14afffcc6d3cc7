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
  TaskKey key;  ///< 0 where it is no task's.
  std::uint64_t count;

  std::span<const Element> list() const { return {reinterpret_cast<const Element*>(this + 1), count}; }
};

/// Followed by the edges and the words of the operands.
struct SubmissionRecord {
  static constexpr RecordKind kind = RecordKind::submission;
  RecordHeader header;
  Submission value;  ///< Its bytes with those of the operands.
  std::uint32_t edge_count;
  std::uint32_t operand_words;

  std::span<const Edge> edges() const { return {reinterpret_cast<const Edge*>(this + 1), edge_count}; }
  std::span<const std::uint64_t> operands() const {
    return {reinterpret_cast<const std::uint64_t*>(this + 1) + edge_count, operand_words};
  }
};

// An operand: a word of these, then its extents.
inline constexpr int operand_rank_shift = 8;
inline constexpr std::uint64_t operand_is_read = 1 << 16;
inline constexpr std::uint64_t operand_is_written = 1 << 17;

struct Execution {
  TaskKey key;
  std::int64_t started;
  std::int64_t ended;
};

struct Wait {
  std::int64_t began;
  std::int64_t ended;
  const char* name;
  const char* cause;
  CallSite site;
  TaskKey awaited;
};

using ExecutionRecord = ValueRecord<RecordKind::execution, Execution>;
using RetirementRecord = ValueRecord<RecordKind::retirement, Retirement>;
using WaitRecord = ValueRecord<RecordKind::wait, Wait>;

using JoinRecord = ListRecord<RecordKind::join, Edge>;
using FailureRecord = ListRecord<RecordKind::failure, char>;
using ReuseRecord = ListRecord<RecordKind::reuse, std::uint64_t>;  ///< Of points.
/// The path of the section that what the thread submits from here on is in.
using SectionRecord = ListRecord<RecordKind::section, char>;

}  // namespace stretto::trace
