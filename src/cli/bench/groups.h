#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/bench/bench_run.h"

namespace stretto::cli {

/// A family of figures, measured together in a process of its own.
struct BenchGroup {
  std::string name;
  std::string about;
  void (*run)(BenchRun& run);
  /// Whether it needs several devices: then the CPU is split in two where there are no GPUs.
  bool several_devices = false;
  /// The figures as `bench list` shows them, each with what it is.
  std::vector<std::pair<std::string, std::string>> figures;
  /// Whether what repeats is to be replayed without being asked for.
  bool finds_repeats = false;
};

/// All groups, in the order in which they are run.
std::span<const BenchGroup> bench_groups();

// One file each.
void bench_tasks(BenchRun& run);
void bench_ops(BenchRun& run);
void bench_memory(BenchRun& run);
void bench_matmul(BenchRun& run);
void bench_parallel(BenchRun& run);
void bench_overlap(BenchRun& run);
void bench_small(BenchRun& run);
void bench_fused(BenchRun& run);
void bench_bandwidth(BenchRun& run);
void bench_mlp(BenchRun& run);
void bench_repeats(BenchRun& run);

}  // namespace stretto::cli
