#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace stretto {

/// Counts the implementations of tensors that a thread made while it had a scope open, and that are still there.
class LiveHandles {
 public:
  LiveHandles(const LiveHandles&) = delete;
  LiveHandles& operator=(const LiveHandles&) = delete;

  /// Shares one: it lives as long as its owner and all that it counts.
  class Owner {
   public:
    Owner(Owner&& other) noexcept : owned_(std::exchange(other.owned_, nullptr)) {}
    Owner& operator=(Owner&&) = delete;
    ~Owner() {
      if (owned_ != nullptr) owned_->let_go();
    }
    LiveHandles& operator*() const { return *owned_; }
    LiveHandles* operator->() const { return owned_; }
    LiveHandles* get() const { return owned_; }

   private:
    friend class LiveHandles;
    explicit Owner(LiveHandles* owned) : owned_(owned) {}
    LiveHandles* owned_;
  };
  static Owner make() { return Owner(new LiveHandles); }

  /// While it lives, what the calling thread makes is counted. One at a time.
  class Scope {
   public:
    explicit Scope(LiveHandles& counts) { current_ = &counts; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() { current_ = nullptr; }
  };

  /// Whose scope the calling thread has open; null, nearly always.
  static LiveHandles* current() { return current_; }
  /// One more, made by the calling thread: returns who counts it, null where nobody does.
  static LiveHandles* enter() {
    if (current_ != nullptr) [[unlikely]]
      current_->references_.fetch_add(1, std::memory_order_relaxed);
    return current_;
  }
  /// One that was counted is gone.
  void leave() { let_go(); }
  std::uint32_t count() const { return references_.load(std::memory_order_acquire) - 1; }

 private:
  LiveHandles() = default;
  ~LiveHandles() = default;
  void let_go() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  // In the static block of thread-local storage: it is read whenever a tensor is made.
  [[gnu::tls_model("initial-exec")]] static inline thread_local constinit LiveHandles* current_ = nullptr;

  std::atomic<std::uint32_t> references_{1};  ///< The owner's besides.
};

}  // namespace stretto
