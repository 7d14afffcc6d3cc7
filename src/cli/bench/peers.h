#pragma once

#include <cstdint>
#include <string>

#include "cli/bench/bench_run.h"

namespace stretto::cli {

/// Measures the peers of the tasks bench that lie in the folder `peers` beside the command on the program of `figure`,
/// such as tasks.chain, and reports them as tasks.chain.openmp and so on. Peers that need microseconds a task get fewer
/// tasks.
void bench_peers(BenchRun& run, const std::string& figure, std::int64_t count);

}  // namespace stretto::cli
