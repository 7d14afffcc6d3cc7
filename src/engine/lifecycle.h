#pragma once

#include "engine/scheduler.h"

namespace stretto {

/// Registers what happens to the engine when the process ends or forks. Once.
void keep_lifecycle(Scheduler& scheduler);

}  // namespace stretto
