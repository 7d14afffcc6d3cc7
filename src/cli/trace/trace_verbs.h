#pragma once

#include <CLI/App.hpp>

#include "cli/command_line.h"

namespace stretto::cli {

// The verbs of `stretto trace`, each in a file of its own.
void add_trace_summary(CLI::App& trace, Action& action);
void add_trace_what_if(CLI::App& trace, Action& action);

}  // namespace stretto::cli
