#pragma once

#include "engine/scheduler.h"

namespace stretto {

/// See Engine::wait.
void wait_for_buffer(Scheduler& scheduler, Buffer& buffer, const Box* box, const char* operation, CallSite site);
/// The end of a body: waits for `running.readers`. The task fails when one of them comes after something that waits for
/// the task.
void await_readers(Scheduler& scheduler, Task& task, RunningBody& running);
/// See Engine::wait_all.
void wait_all(Scheduler& scheduler, CallSite site);
/// See Engine::synchronize.
void synchronize(Scheduler& scheduler, Device device, CallSite site);

}  // namespace stretto
