#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <stretto/core/device.h>

#include "cli/check/edge_counts.h"
#include "cli/check/player.h"
#include "cli/check/program.h"

namespace stretto::cli {

struct CheckOptions {
  std::vector<Device> devices;
  std::uint64_t seed = 1;  ///< Of the first program; the next has the next one.
  double seconds = 10;     ///< For how long programs are begun.
  double shrinking = 60;   ///< How many seconds are spent on a shorter program; 0 keeps the one that was found.
  std::string wrong;       ///< `run_program`'s, for all but the serial way.
  /// Every program runs in the same two processes, one statement after the other and with real threads, under the
  /// settings of the environment: to see whether anything grows.
  bool soaks = false;
};

/// A program that two ways do not agree about.
struct Disagreement {
  Program program;
  Way way;
  std::string difference;  ///< The first one, in words.
  int runs = 0;            ///< How often the program was run again as it is, each time in a new process.
  int differing_runs = 0;  ///< In how many of them it went wrong.
};

struct CheckReport {
  std::uint64_t programs = 0;
  std::uint64_t tasks = 0;  ///< Statements that submit work.
  EdgeTally edges;          ///< What really waited, in all ways but the serial one.
  std::optional<Disagreement> disagreement;
};

/// Runs random programs one statement after the other and in the other ways, each way in processes of its own, until
/// the time is over or two do not agree. `progress` is called with the fraction of the time that has passed.
CheckReport check_programs(const CheckOptions& options,
                           const std::function<void(double, const CheckReport&)>& progress);

/// The disagreement with as few statements as can be found in the time, run again to see how often it shows.
Disagreement shrunk(const Disagreement& disagreement, const CheckOptions& options);

/// Programs whose seeds are alike but for the last so many run in one process, whose settings are drawn from the first
/// of them: so a seed tells the settings. Few, as some faults show only while an engine is new and its memory is.
inline constexpr std::uint64_t programs_per_process = 8;

}  // namespace stretto::cli
