#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include <stretto/report/run.h>

namespace stretto::report {

/// What the program did, one thing after the other: its submissions and its waits, and its own time between them as
/// recorded. Several threads are taken as one.
class ProgramSteps {
 public:
  using Submit = std::function<void(std::size_t task, Nanoseconds time)>;
  using Waited = std::function<void(std::size_t wait, Nanoseconds start, Nanoseconds end)>;

  /// `outer` tells inside which task each ran: what ran inside another was not submitted by the program.
  ProgramSteps(const Run& run, const std::vector<std::optional<std::size_t>>& outer);

  /// Goes on, from where it stood, up to a wait for a task that has not ended. Calls `submit` for each task with the
  /// time at which it is submitted, and `waited` for each wait with its new times.
  void go_on(const Submit& submit, const Waited& waited);
  /// To be told of each task that ends.
  void note_end(std::size_t task, Nanoseconds time);

 private:
  enum class Kind { submission, wait_for_task, wait_for_all, pause };

  struct ProgramStep {
    Kind kind;
    std::size_t index;     ///< Of a task, or of a wait.
    Nanoseconds own = 0;   ///< The program's own time since the step before.
    std::size_t task = 0;  ///< Which is waited for.
    Nanoseconds wake = 0;  ///< From when a wait could end to when it did.
  };

  /// Until when the wait lasts that comes next; nothing while what it waits for has not ended.
  std::optional<Nanoseconds> end_of_wait(const ProgramStep& step) const;

  std::vector<ProgramStep> steps_;
  std::size_t next_ = 0;
  Nanoseconds clock_;
  std::vector<std::optional<Nanoseconds>> ends_;  ///< Of the tasks that have ended.
  Nanoseconds last_end_ = 0;
  std::vector<bool> is_submitted_;
  std::size_t pending_ = 0;  ///< Tasks submitted and not ended.
};

}  // namespace stretto::report
