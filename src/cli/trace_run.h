#pragma once

#include "cli/command_line.h"

namespace stretto::cli {

/// `stretto trace run`: runs a program and records its timeline.
void add_trace_run(CLI::App& trace, Action& action);

}  // namespace stretto::cli
