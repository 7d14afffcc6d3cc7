#pragma once

#include <stretto/core/device.h>

namespace stretto::cli {

/// Bytes by which this process grows for each pending task with 4 accesses. To be called once, early in a process:
/// memory that earlier tasks left behind would be used again and not be counted. Throws Error when the tasks cannot be
/// kept pending.
double pending_memory(Device device);

/// The same, from a process of its own.
double pending_memory_in_new_process(Device device);

}  // namespace stretto::cli
