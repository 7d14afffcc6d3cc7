#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trace/call_places.h"
#include "trace/call_text.h"
#include "trace/section_path.h"

namespace stretto::trace {

enum class RecordKind : std::uint32_t { call, submission, join, execution, retirement, failure, reuse, wait, section };

/// In front of each record, whose size is a multiple of eight bytes.
struct RecordHeader {
  RecordKind kind;
  std::uint32_t bytes;  ///< This and what follows.
};

/// What one thread has recorded and the writer has not yet read: a list of chunks, filled by the one and emptied by the
/// other without a lock. A record is read once it is published, in the order in which the thread left them.
///
/// What threads leave unread is limited in all: past `unread_limit` a record that may be dropped is, so that a writer
/// which does not keep up costs no more memory. Threads are not held back instead: one that is inside a task may be
/// what all others wait for, and a run that is slowed to the pace of its file is not the run that was to be seen.
class RecordStream {
 public:
  static constexpr std::size_t unread_limit = std::size_t{256} << 20;

  /// The calling thread's; made at its first record.
  static RecordStream& own() { return own_ != nullptr ? *own_ : make_own(); }
  /// Streams made since the last call, linked by `next_made`. For the writer.
  static RecordStream* take_made();
  RecordStream* next_made() const { return next_made_; }
  /// In the child after a fork: the parent's writer has what there was.
  static void forget_all();

  /// Room for a record of so many bytes, to be filled and published at once. Null when it is dropped: one that must be
  /// kept has half as much room again.
  std::byte* reserve(std::size_t bytes, bool must_keep) {
    if ((filling_ == nullptr || filled_ + bytes > filling_->capacity) && !add_chunk(bytes, must_keep)) [[unlikely]]
      return nullptr;
    reserved_ = static_cast<std::uint32_t>(bytes);
    return filling_->data() + filled_;
  }
  void publish() {
    filled_ += reserved_;
    filling_->filled.store(filled_, std::memory_order_release);
  }
  /// How many were dropped since the last call, in all threads.
  static std::uint64_t take_dropped();
  /// Gives memory back to the system that was needed while the writer was behind, but for so much. For the writer.
  static void trim(std::size_t kept_bytes);

  /// For the writer: the next record, or null when there is none at this moment. Valid until the next `read` or `next`.
  const RecordHeader* read();
  /// The same, and it stays the next.
  const RecordHeader* next();
  /// The thread has ended and everything is read: nobody else holds the stream.
  bool is_over();
  const std::string& name() const { return name_; }

  // What the writer keeps with it.
  std::uint32_t track = 0;
  std::uint32_t section = 0;
  std::int64_t moment = 0;           ///< Of what was looked at last, in nanoseconds.
  std::vector<CallReference> calls;  ///< By their places.
  // What its thread keeps with it: its section, the one that was recorded last, the calls, and in which recording.
  const SectionPath& section_path = SectionPath::own();
  std::uint64_t section_version = 0;
  std::uint64_t session = 0;
  std::unique_ptr<CallPlaces> call_places;

  ~RecordStream();

 private:
  struct Chunk {
    std::size_t capacity;
    std::atomic<std::uint32_t> filled{0};
    std::atomic<Chunk*> next{nullptr};

    std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
    /// With room for so many bytes, or more.
    static Chunk* make(std::size_t bytes);
    static void free(Chunk* chunk);
  };
  struct Ending;

  explicit RecordStream(std::string name) : name_(std::move(name)) {}
  static RecordStream& make_own();
  /// Whether there is one with so much room; otherwise the record is counted among the dropped.
  bool add_chunk(std::size_t bytes, bool must_keep);

  [[gnu::tls_model("initial-exec")]] static constinit thread_local RecordStream* own_;
  static std::atomic<RecordStream*> made_;

  const std::string name_;
  RecordStream* next_made_ = nullptr;
  // The thread's.
  Chunk* filling_ = nullptr;
  std::uint32_t filled_ = 0;
  std::uint32_t reserved_ = 0;
  // Both sides'.
  alignas(64) std::atomic<Chunk*> first_{nullptr};
  std::atomic<bool> ended_{false};
  // The writer's.
  alignas(64) Chunk* reading_ = nullptr;
  std::uint32_t read_ = 0;
};

/// The name of the calling thread, empty where it has none.
void set_thread_name(std::string_view name);

}  // namespace stretto::trace
