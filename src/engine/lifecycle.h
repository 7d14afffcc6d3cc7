#pragma once

#include "engine/scheduler.h"

namespace stretto {

/// Held while the engine is made, and across a fork: a child never finds it half made.
Mutex& engine_making();
/// Registers what happens to the engine when the process ends or forks. Once.
void keep_lifecycle(Scheduler& scheduler);

}  // namespace stretto
