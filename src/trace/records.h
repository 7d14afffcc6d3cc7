#pragma once

#include <cstdint>

#include "trace/record_stream.h"
#include "trace/recording.h"

// How records lie in a stream.

namespace stretto::trace {

/// Followed by the edges and the words of the operands.
struct SubmissionRecord {
  static constexpr RecordKind kind = RecordKind::submission;
  RecordHeader header;
  TaskKey key;
  std::uint64_t id;
  std::int64_t submitted;
  const char* name;
  const char* file;
  const char* role;
  std::uint64_t bytes;
  std::uint32_t line;
  DeviceKind device_kind;
  std::uint8_t device_index;
  std::uint16_t operand_words;
  std::uint64_t edge_count;

  const Edge* edges() const { return reinterpret_cast<const Edge*>(this + 1); }
  const std::uint64_t* operands() const { return edges() + edge_count; }
};

// An operand: a word of these, then its extents.
inline constexpr int operand_rank_shift = 8;
inline constexpr std::uint64_t operand_is_read = 1 << 16;
inline constexpr std::uint64_t operand_is_written = 1 << 17;

/// Followed by the edges.
struct JoinRecord {
  static constexpr RecordKind kind = RecordKind::join;
  RecordHeader header;
  TaskKey key;
  std::uint64_t edge_count;
};

struct ExecutionRecord {
  static constexpr RecordKind kind = RecordKind::execution;
  RecordHeader header;
  TaskKey key;
  std::int64_t started;
  std::int64_t ended;
};

struct RetirementRecord {
  static constexpr RecordKind kind = RecordKind::retirement;
  RecordHeader header;
  Retirement retirement;
};

/// Followed by the message, whose size is `length`.
struct FailureRecord {
  static constexpr RecordKind kind = RecordKind::failure;
  RecordHeader header;
  TaskKey key;
  std::uint64_t length;
};

/// Followed by the points.
struct ReuseRecord {
  static constexpr RecordKind kind = RecordKind::reuse;
  RecordHeader header;
  TaskKey key;
  std::uint64_t point_count;
};

struct WaitRecord {
  static constexpr RecordKind kind = RecordKind::wait;
  RecordHeader header;
  std::int64_t began;
  std::int64_t ended;
  const char* name;
  const char* cause;
  const char* file;
  std::uint64_t line;
  TaskKey awaited;
};

/// Followed by the path, whose size is `length`. What the thread submits from here on is in this section.
struct SectionRecord {
  static constexpr RecordKind kind = RecordKind::section;
  RecordHeader header;
  std::uint64_t length;
};

}  // namespace stretto::trace
