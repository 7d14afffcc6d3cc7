#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include <stretto/base/call_site.h>
#include <stretto/core/device.h>

#include "base/prefetch.h"
#include "base/small_objects.h"
#include "memory/memory_pool.h"
#include "ordering/access_log.h"

namespace stretto {

/// One edge: an element of the predecessor's list of successors, stored in the successor. When an in-order predecessor
/// is issued the list has been walked, and the same eight bytes then hold the predecessor's point.
struct Link {
  std::uintptr_t bits = 0;
};

/// The engine's unit of ordering and of memory: a run of bytes on one device, with the log of who accesses it. Memory
/// is bound when the first writer starts (CPU) or is issued (in-order lanes), and goes back to its pool when the last
/// user is done.
///
/// Made by `Engine::create_buffer`, held by `BufferReference`, freed by the engine. A buffer of zero bytes orders like
/// any other.
class alignas(64) Buffer {
 public:
  Buffer(Device device, std::size_t bytes) : bytes_(bytes), device_(device) {}

  // Made by whoever submits, deleted by whoever runs the last user: from a pool that does not mind.
  static void* operator new(std::size_t bytes) { return SmallObjects::allocate(SmallObjects::size_class(bytes)); }
  static void operator delete(void* buffer, std::size_t bytes) {
    SmallObjects::free(buffer, SmallObjects::size_class(bytes));
  }

  std::size_t bytes() const { return bytes_; }
  Device device() const { return device_; }
  /// Whether its memory is the program's own.
  bool borrowed() const { return borrowed_; }
  /// Whether nobody may write it: its owner lets it be read alone.
  bool read_only() const { return read_only_; }
  /// From the next submission on.
  void make_read_only() {
    read_only_ = true;
    some_are_read_only_.store(true, std::memory_order_release);
  }
  /// Whether any buffer of the process ever was: while none is, nobody needs to look at each.
  static bool some_are_read_only() { return some_are_read_only_.load(std::memory_order_acquire); }
  /// Whether some submission named it, or it came with its memory. By those who may submit with it.
  bool is_written() const { return written_; }
  /// For `Repeats`: when a submission named it last, by the count of whoever did; 0 for never. Says little where
  /// several threads submit.
  std::uint32_t last_named() const { return last_named_.load(std::memory_order_relaxed); }
  void note_named(std::uint32_t now) { last_named_.store(now, std::memory_order_relaxed); }
  /// Null until bound. Only meaningful to a task that accesses the buffer, or after waiting for it.
  std::byte* data() const { return data_.load(std::memory_order_acquire); }
  /// Of a buffer that is to be released: its place in the list of the task that it waits for.
  Link& release_link() { return release_link_; }
  static Buffer& of_release_link(Link& link);
  /// See AccessLog. Under the recording lock.
  void mark_failed(TaskReference task, const FailureReference& failure) { log_.mark_failed(task, failure); }

  /// Memory goes back to its pool as soon as the last user is issued. This object must outlive that: a user on an
  /// in-order lane may look at it until it is complete, so it keeps it from its issue on. The last to let go deletes
  /// it.
  /// The buffer is about to be named in a submission.
  void prefetch_log() const { prefetch_for_write(&log_); }
  void prefetch_keepers() const { prefetch_for_write(&keepers_); }
  void keep() { keepers_.fetch_add(1, std::memory_order_relaxed); }
  void let_go() {
    if (keepers_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  friend class AllocationOrder;
  friend class Engine;
  friend class Scheduler;
  friend class Recorder;
  friend class BufferReference;

  // What tasks read: changes rarely.
  std::atomic<std::byte*> data_{nullptr};
  std::size_t bytes_;
  Device device_;
  bool borrowed_ = false;
  DeviceKind copied_from_ = DeviceKind::cpu;  ///< Its memory is of the pool for copies from there; cpu: like any other.
  /// Some of what `block_.pending` names may not be done. Every user waits for it, not only the one that bound the
  /// memory: who writes another part of the buffer does not come after that one.
  std::atomic<bool> unsettled_{false};
  std::atomic<bool> being_bound_{false};  ///< Somebody is about to set `data_`.
  Block block_;
  std::shared_ptr<const void> owner_;  ///< Of borrowed memory.
  const char* holder_ = "";            ///< The task that bound the memory, for the message when there is no more.
  CallSite holder_site_;
  Link release_link_;  ///< In the list of the only task that the release has to wait for.
  // Its place among the buffers that are to be bound; see AllocationOrder.
  Buffer* earlier_ = nullptr;
  Buffer* later_ = nullptr;
  bool expected_ = false;

  // What the recorder writes at each access.
  alignas(64) AccessLog log_;
  bool written_ = false;  ///< A writer was recorded, so memory is or will be bound.
  bool read_only_ = false;
  std::atomic<std::uint32_t> last_named_{0};
  static inline std::atomic<bool> some_are_read_only_{false};

  alignas(64) std::atomic<std::uint32_t> references_{1};
  std::atomic<std::uint32_t> keepers_{1};  ///< The engine until the release, and issued tasks.
};

inline Buffer& Buffer::of_release_link(Link& link) {
  auto* bytes = reinterpret_cast<std::byte*>(&link) - offsetof(Buffer, release_link_);
  return *std::launder(reinterpret_cast<Buffer*>(bytes));
}

/// Shares ownership of a buffer. When the last reference goes, the engine frees the buffer behind its last user.
class BufferReference {
 public:
  BufferReference() = default;
  /// Takes over one reference.
  static BufferReference adopt(Buffer* buffer) {
    BufferReference reference;
    reference.buffer_ = buffer;
    return reference;
  }
  /// One more reference to a buffer that the caller knows to live.
  static BufferReference share(Buffer& buffer) {
    buffer.references_.fetch_add(1, std::memory_order_relaxed);
    return adopt(&buffer);
  }
  BufferReference(const BufferReference& other) : buffer_(other.buffer_) {
    if (buffer_) buffer_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  BufferReference(BufferReference&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
  BufferReference& operator=(BufferReference other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~BufferReference() {
    if (buffer_ && buffer_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) free(*buffer_);
  }

  Buffer* get() const { return buffer_; }
  Buffer& operator*() const { return *buffer_; }
  Buffer* operator->() const { return buffer_; }
  explicit operator bool() const { return buffer_ != nullptr; }
  /// How many references there are; exact only when the caller holds the only one.
  std::uint32_t use_count() const { return buffer_->references_.load(std::memory_order_acquire); }

 private:
  static void free(Buffer& buffer);  // in engine.cpp

  Buffer* buffer_ = nullptr;
};

}  // namespace stretto
