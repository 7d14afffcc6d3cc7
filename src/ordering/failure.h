#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <utility>

#include <stretto/core/device.h>

namespace stretto {

/// Why a task did not do its work. One object for a root failure, shared by everything that it poisons.
struct Failure {
  Failure(std::exception_ptr what, std::uint64_t number, Device where = Device())
      : error(std::move(what)), sequence(number), device(where) {}

  /// Throws a copy of the error, so that each thread that is told may add to its own. What a person derived from Error
  /// is thrown as it is, shared. The caller holds a reference until the copy is under way.
  [[noreturn]] void raise() const;

  std::exception_ptr error;        ///< An Error with the operation's name and line.
  std::uint64_t sequence;          ///< Grows with submission: of two failures, the earlier one is reported.
  Device device;                   ///< Where the task ran.
  std::atomic<bool> read = false;  ///< Whether somebody was told.
  std::atomic<std::uint32_t> references{0};
};

/// Shares ownership of a Failure; eight bytes, null when nothing failed.
class FailureReference {
 public:
  FailureReference() = default;
  explicit FailureReference(Failure* failure) : failure_(failure) {
    if (failure_) failure_->references.fetch_add(1, std::memory_order_relaxed);
  }
  FailureReference(const FailureReference& other) : FailureReference(other.failure_) {}
  FailureReference(FailureReference&& other) noexcept : failure_(std::exchange(other.failure_, nullptr)) {}
  FailureReference& operator=(FailureReference other) noexcept {
    std::swap(failure_, other.failure_);
    return *this;
  }
  ~FailureReference() {
    if (failure_ && failure_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete failure_;
  }

  /// Takes over a reference that was given up by `release`.
  static FailureReference adopt(Failure* failure) {
    FailureReference reference;
    reference.failure_ = failure;
    return reference;
  }
  /// Gives the reference up without ending it.
  Failure* release() { return std::exchange(failure_, nullptr); }

  Failure* get() const { return failure_; }
  Failure* operator->() const { return failure_; }
  explicit operator bool() const { return failure_ != nullptr; }

 private:
  Failure* failure_ = nullptr;
};

}  // namespace stretto
