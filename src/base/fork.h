#pragma once

#include "base/mutex.h"

namespace stretto {

/// What happens around every fork from here on: `before` on the forking thread, and `after` on it and on the child's
/// only thread. May be called once, before main as well.
void set_fork_handlers(void (*before)(), void (*after)(bool in_child));

/// Holds `mutex` across every fork from here on, so that a child never finds it locked by a thread that it does not
/// have. For locks under which no other lock is taken: they are locked behind `before` and unlocked in front of
/// `after`. `mutex` must live as long as the process.
void hold_across_fork(Mutex& mutex);

}  // namespace stretto
