#pragma once

#include "base/thread_annotations.h"

namespace stretto {

/// What happens around every fork from here on: `before` on the forking thread, and `after` on it and on the child's
/// only thread. May be called once, before main as well.
void set_fork_handlers(void (*before)(), void (*after)(bool in_child));

/// A lock of any kind, and how it is taken and left.
struct ForkLock {
  void* lock;
  void (*take)(void*);
  void (*leave)(void*);
};
void hold_across_fork(const ForkLock& lock);

/// Holds `lock` across every fork from here on, so that a child never finds it locked by a thread that it does not
/// have. For locks under which no other lock is taken: they are locked behind `before` and unlocked in front of
/// `after`. `lock` must live as long as the process.
template <typename Lock>
void hold_across_fork(Lock& lock) {
  hold_across_fork(ForkLock{&lock,
                            [](void* held) STRETTO_NO_THREAD_SAFETY_ANALYSIS { static_cast<Lock*>(held)->lock(); },
                            [](void* held) STRETTO_NO_THREAD_SAFETY_ANALYSIS { static_cast<Lock*>(held)->unlock(); }});
}

}  // namespace stretto
