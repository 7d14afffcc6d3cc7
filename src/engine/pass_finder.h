#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/capture.h"
#include "engine/pass_step.h"

namespace stretto {

/// Finds tasks of what was captured that can run as one pass over memory (see PassStep), and makes one of them.
///
/// A task joins the pass of those that use its output when all who do are in one pass, over elements of the same shape;
/// the pass then runs where its last task, the *root*, was. Buffers that were made meanwhile and that only the tasks of
/// one pass use have no memory any more.
class PassFinder {
 public:
  /// `results`: slots of what was captured whose values are wanted.
  PassFinder(Captured captured, std::span<const std::uint32_t> results);
  /// Once.
  Captured join_passes();
  /// How many tasks are parts of passes now.
  std::size_t joined_tasks() const { return joined_tasks_; }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0}, several = none - 1;

  /// One access of one task.
  struct Use {
    std::uint32_t task;
    std::uint32_t access;  ///< Among the task's.
  };
  /// Who uses a buffer behind the task that is being looked at: the root of the pass that they all are in.
  struct Users {
    std::uint32_t of_any_value = none;
    std::uint32_t of_last_value = none;  ///< Up to the next writer, and that one.
    Use next_writer{none, 0};
  };
  /// What members of a pass touch in the same way.
  struct PassAccess {
    Use first;
    AccessMode mode;
    std::int32_t place;  ///< As PassStep::Member has it.
  };
  struct Pass {
    std::vector<std::uint32_t> tasks;  ///< In order; the root is last.
    std::shared_ptr<const RepeatableBody> body;
    std::vector<PassAccess> accesses;
  };

  const Captured::Access& access(Use use) const {
    return captured_.accesses[captured_.tasks[use.task].first_access + use.access];
  }
  const PassStep& step(std::uint32_t task) const { return *captured_.tasks[task].body->step(); }
  bool is_same(Use one, Use other) const;
  bool meet(Use one, Use other) const;
  void group();
  std::uint32_t pass_for(std::uint32_t task) const;
  bool may_join(std::uint32_t task, std::uint32_t root) const;
  bool can_wait_for(std::uint32_t task, std::uint32_t root) const;
  bool agrees_with(std::uint32_t task, const Pass& pass) const;
  bool fails_as_one(std::uint32_t task, const Pass& pass) const;
  bool is_seen(std::uint32_t slot, const Pass& pass) const;
  void make_body(std::uint32_t root, Pass& pass);
  std::int32_t find_place(Use use, Pass& pass, std::unordered_map<std::uint32_t, std::int32_t>& dropped) const;
  bool is_dropped(std::uint32_t slot, const Pass& pass) const;
  void copy_task(Captured& joined, std::uint32_t task);
  void add_pass(Captured& joined, std::uint32_t root, Pass& pass);

  Captured captured_;
  std::vector<bool> is_result_;                     ///< Of each slot.
  std::vector<std::vector<Use>> uses_;              ///< Of each slot, in order.
  std::vector<Users> users_;                        ///< Of each slot.
  std::vector<std::uint32_t> root_;                 ///< Of each task that has been looked at.
  std::unordered_map<std::uint32_t, Pass> passes_;  ///< Of each root.
  std::size_t joined_tasks_ = 0;
};

}  // namespace stretto
