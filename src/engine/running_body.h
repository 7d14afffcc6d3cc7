#pragma once

#include <cstddef>
#include <vector>

#include <stretto/core/box.h>

#include "ordering/task_reference.h"

namespace stretto {

/// Tells which bytes of its buffers a task declared.
class DeclaredParts {
 public:
  /// Of the access with this number, to a buffer of so many bytes.
  virtual Box part(std::size_t access, std::size_t buffer_bytes) const = 0;

 protected:
  ~DeclaredParts() = default;
};

/// What the engine knows of a task's body while it runs. All threads that take part in its loops share it.
struct RunningBody {
  /// Null: each access is to the whole buffer.
  const DeclaredParts* parts = nullptr;
  /// What was submitted inside and reads what the task declared to read: no log knows of these reads, so the task is
  /// done when they are. Written under the recording lock.
  std::vector<TaskReference> readers;
  /// It is recorded, to be launched again without a call of the body: what it does besides enqueueing would not be
  /// repeated.
  bool is_recorded = false;
  bool was_refused = false;  ///< It did.
};

}  // namespace stretto
