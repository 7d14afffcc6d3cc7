#include "trace/record_stream.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "trace/record_memory.h"

namespace stretto::trace {
namespace {

constinit RecordMemory memory;
std::atomic<std::size_t> unread_bytes{0};
std::atomic<std::uint64_t> dropped_records{0};

// Outlives the destructors of what is local to the thread, which may record, too.
thread_local char thread_name[64] = "";

}  // namespace

RecordStream::Chunk* RecordStream::Chunk::make(std::size_t bytes) {
  constexpr std::size_t usual = RecordMemory::piece_bytes - sizeof(Chunk);
  std::byte* const piece = bytes <= usual ? memory.take() : nullptr;
  if (piece != nullptr) return new (piece) Chunk{usual};
  const std::size_t capacity = std::max(bytes, usual);
  return new (::operator new(sizeof(Chunk) + capacity, std::align_val_t{alignof(Chunk)})) Chunk{capacity};
}

void RecordStream::Chunk::free(Chunk* chunk) {
  if (memory.has(chunk)) {
    memory.give_back(reinterpret_cast<std::byte*>(chunk));
  } else {
    ::operator delete(chunk, std::align_val_t{alignof(Chunk)});
  }
}

/// Tells when the thread ends that it records nothing more.
struct RecordStream::Ending {
  ~Ending() {
    RecordStream* const ended = own_;
    own_ = nullptr;
    if (ended != nullptr) ended->ended_.store(true, std::memory_order_release);
  }
};

std::atomic<RecordStream*> RecordStream::made_{nullptr};

constinit thread_local RecordStream* RecordStream::own_ = nullptr;

RecordStream& RecordStream::make_own() {
  static thread_local Ending ending;
  static_cast<void>(&ending);
  own_ = new RecordStream(thread_name);
  own_->next_made_ = made_.load(std::memory_order_relaxed);
  while (!made_.compare_exchange_weak(own_->next_made_, own_, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return *own_;
}

RecordStream* RecordStream::take_made() { return made_.exchange(nullptr, std::memory_order_acquire); }

void RecordStream::forget_all() {
  // Kept in sight of the leak sanitizer.
  static std::atomic<RecordStream*> left_behind;
  left_behind.store(made_.exchange(nullptr));
  own_ = nullptr;
  unread_bytes.store(0);
  dropped_records.store(0);
  memory.forget();
}

std::uint64_t RecordStream::take_dropped() { return dropped_records.exchange(0, std::memory_order_relaxed); }

void RecordStream::trim(std::size_t kept_bytes) { memory.trim(kept_bytes); }

RecordStream::~RecordStream() {
  if (reading_ == nullptr) return;
  unread_bytes.fetch_sub(reading_->capacity, std::memory_order_relaxed);
  Chunk::free(reading_);
}

bool RecordStream::add_chunk(std::size_t bytes, bool must_keep) {
  const std::size_t limit = must_keep ? unread_limit + unread_limit / 2 : unread_limit;
  if (unread_bytes.load(std::memory_order_relaxed) > limit) {
    dropped_records.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  Chunk* const added = Chunk::make(bytes);
  unread_bytes.fetch_add(added->capacity, std::memory_order_relaxed);
  (filling_ == nullptr ? first_ : filling_->next).store(added, std::memory_order_release);
  filling_ = added;
  filled_ = 0;
  return true;
}

const RecordHeader* RecordStream::read() {
  const RecordHeader* const header = next();
  if (header != nullptr) read_ += header->bytes;
  return header;
}

const RecordHeader* RecordStream::next() {
  if (reading_ == nullptr) reading_ = first_.load(std::memory_order_acquire);
  if (reading_ == nullptr) return nullptr;
  while (read_ == reading_->filled.load(std::memory_order_acquire)) {
    Chunk* const next = reading_->next.load(std::memory_order_acquire);
    if (next == nullptr) return nullptr;
    // It is filled no further once there is a next one.
    if (read_ != reading_->filled.load(std::memory_order_acquire)) break;
    unread_bytes.fetch_sub(reading_->capacity, std::memory_order_relaxed);
    Chunk::free(reading_);
    reading_ = next;
    read_ = 0;
  }
  return reinterpret_cast<const RecordHeader*>(reading_->data() + read_);
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
