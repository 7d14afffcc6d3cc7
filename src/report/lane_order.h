#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <stretto/report/run.h>

namespace stretto::report {

/// What ran before what. Slices of a track nest where a task waits inside another.
class LaneOrder {
 public:
  /// `run` must outlive this.
  explicit LaneOrder(const Run& run);

  /// The task that ended last on the same worker, or on the same lane if that is no pool of workers, before `task`
  /// started; of several that took no time the later one.
  std::optional<std::size_t> previous(std::size_t task) const;
  /// Of all tasks that ended no later than `time` and not behind `task` in this order, the last.
  std::optional<std::size_t> last_ended(Nanoseconds time, std::size_t task) const;
  /// Whether a walk back in time may go from `later` to `earlier`: it ended earlier, or at the same time and was
  /// submitted earlier.
  bool is_before(std::size_t earlier, std::size_t later) const;
  /// Of each task the one inside which it ran: a body that waited ran it on its own worker.
  std::vector<std::optional<std::size_t>> enclosing() const;
  /// What each task took without those that ran inside it.
  std::vector<Nanoseconds> own_durations() const;

 private:
  std::optional<std::size_t> last_of(const std::vector<std::size_t>& tasks, Nanoseconds time, std::size_t task) const;

  const Run& run_;
  std::vector<std::vector<std::size_t>> tracks_;   ///< Of each track its tasks, by their ends.
  std::vector<std::size_t> first_track_;           ///< Of each track the first one that does its work in turn with it.
  std::vector<std::vector<std::size_t>> in_turn_;  ///< Of each such track the tasks of all of them, by their ends.
  std::vector<std::size_t> all_;                   ///< All tasks by their ends.
};

}  // namespace stretto::report
