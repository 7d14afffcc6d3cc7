#include "engine/thread_state.h"

#include <memory>

namespace stretto {

thread_local ThreadState* ThreadState::instance_ = nullptr;

/// Gives everything back when the thread ends. A thread may use the engine again while its other thread-locals are
/// destroyed: it then gets a state of its own anew, which is leaked.
struct ThreadState::Owner {
  explicit Owner(ThreadState* held) : state(held) {}
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() {
    instance_ = nullptr;
    state->flush();
    if (state->free_->count > 0) state->free_ = state->slab_.exchange_for_empty(state->free_);
    delete state->free_;
    delete state->returned_;
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

void ThreadState::refill(SpinLock& recording) {
  const SpinLockGuard lock(recording);
  free_ = slab_.exchange_for_free(free_);
}

}  // namespace stretto
