#include "engine/thread_state.h"

#include <pthread.h>

#include <stretto/base/error.h>

#include "engine/engine.h"
#include "engine/repeats.h"

namespace stretto {

thread_local constinit ThreadState* ThreadState::instance_ = nullptr;

/// Gives everything back when the thread ends.
void ThreadState::destroy(void* state) {
  auto* ended = static_cast<ThreadState*>(state);
  if (ended->repeating != nullptr) Engine::get().scheduler().repeats()->end_thread(*ended->repeating);
  instance_ = nullptr;
  ended->flush();
  if (ended->free_->count > 0) ended->free_ = ended->slab_.exchange_for_empty(ended->free_);
  delete ended->free_;
  delete ended->returned_;
  ended->count_.give_back(ended->cell_);
  delete ended;
}

void ThreadState::create(TaskSlab& slab, PendingCount& count) {
  // A key's destructor runs behind those of the thread's thread-locals, which may still use the engine; and not in
  // `exit`, where a thread may be inside a task.
  static const pthread_key_t key = [] {
    pthread_key_t made = 0;
    if (pthread_key_create(&made, &ThreadState::destroy) != 0) throw Error("the process has no thread key left");
    return made;
  }();
  instance_ = new ThreadState(slab, count);
  pthread_setspecific(key, instance_);
}

void ThreadState::refill(SpinLock& recording) {
  const SpinLockGuard lock(recording);
  free_ = slab_.exchange_for_free(free_);
  // The first of them are used before anybody looks so far ahead.
  for (int i = 1; i <= prefetch_distance && i <= free_->count; ++i) prefetch(slab_.at(free_->slots[free_->count - i]));
}

}  // namespace stretto
