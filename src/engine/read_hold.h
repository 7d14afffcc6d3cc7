#pragma once

#include "engine/submission.h"
#include "ordering/task_reference.h"

namespace stretto {

class Scheduler;

/// A reader of a buffer that is not done before this object goes: whoever writes the buffer later waits for that, and
/// so does who waits for such a writer. Nobody else does: what is held for reading is no work that `wait_all` counts.
///
/// Made outside of tasks, at the reader's place in the program; ended by any thread.
class ReadHold {
 public:
  /// The buffer was accessed before, so that it has memory or will have. `box`: what is read, null for all.
  ReadHold(Scheduler& scheduler, Buffer& buffer, const Box* box, const char* name, CallSite site);
  ReadHold(const ReadHold&) = delete;
  ReadHold& operator=(const ReadHold&) = delete;
  ~ReadHold();

  /// Whether this is a child that a fork made: there it holds nothing.
  bool forgotten() const;

 private:
  Scheduler& scheduler_;
  TaskReference task_;
};

}  // namespace stretto
