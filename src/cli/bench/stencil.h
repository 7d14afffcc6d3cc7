#pragma once

#include <stretto/core/device.h>

namespace stretto::cli {

/// METG(50 %) of Task Bench: how long a task must be for the device to reach half of what it reaches with long tasks.
/// The program is a stencil of width 4, in which each task reads three neighbours of the step before. In microseconds
/// of a core a task, what the runtime adds included. Takes some 0.5 s; throws Error when a value is not that of a
/// serial loop.
double stencil_metg50(Device device);

}  // namespace stretto::cli
