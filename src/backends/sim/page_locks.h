#pragma once

#include <cstddef>
#include <map>

#include "base/mutex.h"

namespace stretto {

/// Which memory of the host is page-locked, as far as a backend was told. Any thread.
class PageLocks {
 public:
  /// False where a part of it is locked already.
  bool lock(std::byte* data, std::size_t bytes);
  void unlock(std::byte* data);
  /// Whether all of it is locked.
  bool contains(const std::byte* data, std::size_t bytes) const;

 private:
  mutable Mutex mutex_;
  std::map<const std::byte*, std::size_t> ranges_ STRETTO_GUARDED_BY(mutex_);  ///< By their begin; none meets another.
};

}  // namespace stretto
