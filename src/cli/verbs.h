#pragma once

#include "cli/bench/bench_run.h"
#include "cli/command_line.h"

namespace stretto::cli {

// Each verb declares itself, in the file of its name, and sets the action when it is the one that was chosen.
void add_info(CLI::App& app, Action& action);
void add_demo(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_train(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_trace(CLI::App& app, Action& action);
void add_graph(CLI::App& app, Action& action);
/// What `stretto` starts itself with, to measure in a process of its own; not for people.
void add_helper(CLI::App& app, Action& action);

/// The options by which figures are measured, of `bench` and of the processes it starts.
void add_bench_options(CLI::App& verb, BenchOptions& options);

}  // namespace stretto::cli
