#pragma once

#include "engine/task.h"
#include "trace/recording.h"

namespace stretto {

class PointSet;
class Scheduler;

/// What a recording calls those by that a task comes after.
inline trace::TaskKey trace_key(TaskReference task) { return trace::key_of(task.slot, task.generation); }

/// Answers what recordings ask of the engine, from here on.
void tell_recordings_of(Scheduler& scheduler);

/// The task got memory that work up to these points still uses.
void trace_reuse(const Task& task, const PointSet& points);
/// A body has ended that began at `started` on the calling thread. What lanes work off in order is told when it
/// retires. `ran` false: it was skipped.
void trace_body(Scheduler& scheduler, const Task& task, trace::Ticks started, bool ran);
/// What the task failed for, if it did.
void trace_failure(Scheduler& scheduler, const Task& task);

}  // namespace stretto
