#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <vector>

#include "base/mutex.h"
#include "ordering/failure.h"

namespace stretto {

/// The failures that nobody was told of yet.
class FailureBook {
 public:
  /// A new root failure; `error` is what the task's body threw, with the task's name and line, `sequence` the task's.
  FailureReference add(std::exception_ptr error, std::uint64_t sequence) {
    const FailureReference failure(new Failure(std::move(error), sequence));
    const MutexLock lock(mutex_);
    unread_.push_back(failure);
    return failure;
  }

  /// The earliest failure that was not read, or null; all become read.
  FailureReference take_unread() {
    const MutexLock lock(mutex_);
    FailureReference earliest;
    for (const FailureReference& failure : unread_)
      if (!failure->read.exchange(true) && (!earliest || failure->sequence < earliest->sequence)) earliest = failure;
    unread_.clear();
    return earliest;
  }

  Mutex& mutex() STRETTO_RETURN_CAPABILITY(mutex_) { return mutex_; }

 private:
  Mutex mutex_;
  std::vector<FailureReference> unread_ STRETTO_GUARDED_BY(mutex_);
};

}  // namespace stretto
