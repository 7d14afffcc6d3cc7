#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cli/bench/bench_run.h"
#include "cli/bench/first_replay.h"

namespace stretto::cli {

/// How a program comes to be replayed.
enum class Asked : bool {
  by_compile,  ///< It is a compiled function.
  by_nobody,   ///< It is called again and again in a process with `STRETTO_REPLAY=on`.
};

struct ReplaySample {
  double nanoseconds;  ///< A task.
  FirstReplay first;
  double tasks;  ///< Of one call.
};

/// The programs of the tasks bench, replayed: `count` tasks in all, those up to the first replay left out. They throw
/// Error where values differ from those of a serial loop. Tasks without edges are replayed by compile alone: where each
/// has a tensor of its own nothing is saved.
ReplaySample replayed_independent(std::int64_t count);
ReplaySample replayed_chain(std::int64_t count, Asked asked);
ReplaySample replayed_random_dag(std::int64_t count, Asked asked);
/// Reports what `sample` measures, if it is wanted.
void report_replays(BenchRun& run, const std::string& figure, const std::function<ReplaySample()>& sample);

}  // namespace stretto::cli
