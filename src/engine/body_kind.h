#pragma once

#include <memory>
#include <new>
#include <type_traits>

#include "engine/task.h"

namespace stretto {

class RepeatableBody;

/// What the engine can ask of the bodies of one type, of whose tasks it knows nothing but that they are of this kind:
/// whether one of them may stand in for another. Lives as long as the process.
class BodyKind {
 public:
  /// A body that does the same as the task's, again and again. The task keeps its own.
  virtual std::shared_ptr<const RepeatableBody> copy(const Task& task) const = 0;
  /// Whether the task's body does with its accesses just what `copied` does, which was made by this kind's `copy`.
  virtual bool is_same(const Task& task, const RepeatableBody& copied) const = 0;

 protected:
  ~BodyKind() = default;
};

/// Whether a task keeps such a callable in itself, and not on the heap.
template <typename Callable>
inline constexpr bool fits_in_task = sizeof(Callable) <= Task::inline_closure && alignof(Callable) <= 8 &&
                                     std::is_nothrow_move_constructible_v<Callable>;

/// The callable that was moved into a task.
template <typename Callable>
  requires fits_in_task<Callable>
const Callable& placed_body(const Task& task) {
  return *std::launder(reinterpret_cast<const Callable*>(task.closure));
}

}  // namespace stretto
