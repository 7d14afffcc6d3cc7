#include "engine/thread_state.h"

#include <memory>

namespace stretto {

thread_local ThreadState* ThreadState::instance_ = nullptr;

/// Gives everything back when the thread ends. A thread may use the engine again while its other thread-locals are destroyed: it
/// then gets a state of its own anew, which is leaked.
struct ThreadState::Owner {
  explicit Owner(ThreadState* held) : state(held) {}
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() {
    instance_ = nullptr;
    state->flush();
    while (Task* task = state->free_) {
      state->free_ = static_cast<Task*>(task->next);
      state->slab_.give_back(task, task);
    }
    state->count_.give_back(state->cell_);
    delete state;
  }
  ThreadState* state;
};

void ThreadState::create(TaskSlab& slab, PendingCount& count) {
  instance_ = new ThreadState(slab, count);
  static thread_local bool owned = false;
  if (owned) return;
  owned = true;
  static thread_local Owner owner(instance_);
}

}  // namespace stretto
