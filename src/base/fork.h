#pragma once

#include "base/mutex.h"

namespace stretto {

/// Holds `mutex` across every fork from here on, so that a child never finds it locked by a thread that it does not
/// have. For locks under which no other lock is taken. `mutex` must live as long as the process.
void hold_across_fork(Mutex& mutex);

}  // namespace stretto
