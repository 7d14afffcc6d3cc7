#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace stretto::trace {

/// What the events of a call's tasks have in common, as it stands in the file.
struct Call {
  /// `words` as in records.h. Looks at the texts that they name.
  explicit Call(std::span<const std::uint64_t> words);

  std::string head;  ///< The event up to its place and time.
  std::string body;  ///< Of its arguments, from the device on.
};

/// Holds a call as long as anybody refers to it. A shared pointer for one thread: it counts as cheaply as can be.
class CallReference {
 public:
  CallReference() = default;
  explicit CallReference(std::span<const std::uint64_t> words) : held_(new Held{Call(words), 1}) {}
  CallReference(const CallReference& other) : held_(other.held_) {
    if (held_ != nullptr) ++held_->references;
  }
  CallReference(CallReference&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  CallReference& operator=(CallReference other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~CallReference() {
    if (held_ != nullptr && --held_->references == 0) delete held_;
  }

  bool operator==(std::nullptr_t) const { return held_ == nullptr; }
  const Call& operator*() const { return held_->call; }

 private:
  struct Held {
    Call call;
    std::uint64_t references;
  };

  Held* held_ = nullptr;
};

}  // namespace stretto::trace
