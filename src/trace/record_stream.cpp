#include "trace/record_stream.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace stretto::trace {
namespace {

std::atomic<std::size_t> unread_bytes{0};
std::atomic<std::uint64_t> dropped_records{0};

// Outlives the destructors of what is local to the thread, which may record, too.
thread_local char thread_name[64] = "";

[[gnu::tls_model("initial-exec")]] thread_local RecordStream* own_stream = nullptr;

}  // namespace

struct RecordStream::Chunk {
  std::size_t capacity;
  std::atomic<std::uint32_t> filled{0};
  std::atomic<Chunk*> next{nullptr};

  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }

  static Chunk* make(std::size_t capacity) {
    return new (::operator new(sizeof(Chunk) + capacity, std::align_val_t{alignof(Chunk)})) Chunk{capacity};
  }
  static void free(Chunk* chunk) { ::operator delete(chunk, std::align_val_t{alignof(Chunk)}); }
};

/// Tells when the thread ends that it records nothing more.
struct RecordStream::Ending {
  ~Ending() {
    RecordStream* const ended = own_stream;
    own_stream = nullptr;
    if (ended != nullptr) ended->ended_.store(true, std::memory_order_release);
  }
};

std::atomic<RecordStream*> RecordStream::made_{nullptr};

RecordStream& RecordStream::own() {
  if (own_stream == nullptr) [[unlikely]] {
    static thread_local Ending ending;
    static_cast<void>(&ending);
    own_stream = new RecordStream(thread_name);
    own_stream->next_made_ = made_.load(std::memory_order_relaxed);
    while (!made_.compare_exchange_weak(own_stream->next_made_, own_stream, std::memory_order_release,
                                        std::memory_order_relaxed)) {
    }
  }
  return *own_stream;
}

RecordStream* RecordStream::take_made() { return made_.exchange(nullptr, std::memory_order_acquire); }

void RecordStream::forget_all() {
  // Kept in sight of the leak sanitizer.
  static std::atomic<RecordStream*> left_behind;
  left_behind.store(made_.exchange(nullptr));
  own_stream = nullptr;
  unread_bytes.store(0);
  dropped_records.store(0);
}

std::uint64_t RecordStream::take_dropped() { return dropped_records.exchange(0, std::memory_order_relaxed); }

RecordStream::~RecordStream() {
  if (reading_ != nullptr) {
    unread_bytes.fetch_sub(reading_->capacity, std::memory_order_relaxed);
    Chunk::free(reading_);
  }
  for (std::atomic<Chunk*>& spare : spare_)
    if (Chunk* const chunk = spare.load(std::memory_order_relaxed)) Chunk::free(chunk);
}

std::byte* RecordStream::reserve(std::size_t bytes, bool must_keep) {
  if ((filling_ == nullptr || filled_ + bytes > filling_->capacity) && !add_chunk(bytes, must_keep)) [[unlikely]] {
    dropped_records.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  reserved_ = static_cast<std::uint32_t>(bytes);
  return filling_->data() + filled_;
}

void RecordStream::publish() {
  filled_ += reserved_;
  filling_->filled.store(filled_, std::memory_order_release);
}

bool RecordStream::add_chunk(std::size_t bytes, bool must_keep) {
  const std::size_t limit = must_keep ? unread_limit + unread_limit / 2 : unread_limit;
  if (unread_bytes.load(std::memory_order_relaxed) > limit) return false;
  Chunk* added = nullptr;
  for (std::atomic<Chunk*>& spare : spare_)
    if (added == nullptr && bytes <= chunk_bytes) added = spare.exchange(nullptr, std::memory_order_acquire);
  if (added == nullptr) added = Chunk::make(std::max(bytes, chunk_bytes));
  added->filled.store(0, std::memory_order_relaxed);
  added->next.store(nullptr, std::memory_order_relaxed);
  unread_bytes.fetch_add(added->capacity, std::memory_order_relaxed);
  (filling_ == nullptr ? first_ : filling_->next).store(added, std::memory_order_release);
  filling_ = added;
  filled_ = 0;
  return true;
}

const RecordHeader* RecordStream::read() {
  if (reading_ == nullptr) reading_ = first_.load(std::memory_order_acquire);
  if (reading_ == nullptr) return nullptr;
  while (read_ == reading_->filled.load(std::memory_order_acquire)) {
    Chunk* const next = reading_->next.load(std::memory_order_acquire);
    if (next == nullptr) return nullptr;
    // It is filled no further once there is a next one.
    if (read_ != reading_->filled.load(std::memory_order_acquire)) break;
    retire(reading_);
    reading_ = next;
    read_ = 0;
  }
  const auto* header = reinterpret_cast<const RecordHeader*>(reading_->data() + read_);
  read_ += header->bytes;
  return header;
}

void RecordStream::retire(Chunk* chunk) {
  unread_bytes.fetch_sub(chunk->capacity, std::memory_order_relaxed);
  if (chunk->capacity == chunk_bytes) {
    for (std::atomic<Chunk*>& spare : spare_) {
      Chunk* expected = nullptr;
      if (spare.compare_exchange_strong(expected, chunk, std::memory_order_release, std::memory_order_relaxed)) return;
    }
  }
  Chunk::free(chunk);
}

bool RecordStream::is_over() {
  if (!ended_.load(std::memory_order_acquire)) return false;
  if (reading_ == nullptr) reading_ = first_.load(std::memory_order_acquire);
  return reading_ == nullptr || (read_ == reading_->filled.load(std::memory_order_acquire) &&
                                 reading_->next.load(std::memory_order_acquire) == nullptr);
}

void set_thread_name(std::string_view name) {
  const std::size_t length = std::min(name.size(), sizeof thread_name - 1);
  std::memcpy(thread_name, name.data(), length);
  thread_name[length] = '\0';
}

}  // namespace stretto::trace
