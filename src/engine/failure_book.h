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
  /// Takes note of a root failure.
  void add(const FailureReference& failure) {
    const MutexLock lock(mutex_);
    unread_.push_back(failure);
  }

  /// The earliest failure that was not read, or null; all become read.
  FailureReference take_unread() {
    return take([](const Failure&) { return true; });
  }
  /// The same for the tasks of one device; those of others stay.
  FailureReference take_unread(Device device) {
    return take([device](const Failure& failure) { return failure.device == device; });
  }

  Mutex& mutex() STRETTO_RETURN_CAPABILITY(mutex_) { return mutex_; }

 private:
  template <typename Condition>
  FailureReference take(Condition condition) {
    const MutexLock lock(mutex_);
    FailureReference earliest;
    std::erase_if(unread_, [&](const FailureReference& failure) {
      if (!condition(*failure.get())) return false;
      if (!failure->read.exchange(true) && (!earliest || failure->sequence < earliest->sequence)) earliest = failure;
      return true;
    });
    return earliest;
  }

  Mutex mutex_;
  std::vector<FailureReference> unread_ STRETTO_GUARDED_BY(mutex_);
};

}  // namespace stretto
