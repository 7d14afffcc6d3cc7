#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <stretto/core/device.h>
#include <stretto/trace/edge_counts.h>

#include "cli/check/program.h"
#include "cli/child_process.h"

namespace stretto::cli {

/// A way to run programs: the settings of the process that runs them. Another engine or schedule is another of these.
struct Way {
  std::string name;
  ChildProcess::Variables variables;

  bool is_deterministic() const { return name == "deterministic"; }
};

/// One statement after the other: what every program means.
Way serial_way();
/// One thread at a time, in an order that the program's `schedule` decides; as many workers and streams as below.
Way deterministic_way(std::uint64_t seed);
/// Threads as they come, with 1 to 8 workers, 1 to 4 streams, now and then few tasks at once, and mostly with random
/// delays: drawn from the seed.
Way threads_way(std::uint64_t seed);

/// The settings as a shell takes them in front of a command.
std::string to_text(const Way& way);

/// What became of a program: what it saw, or how its process ended before it told.
struct Outcome {
  std::vector<std::string> lines;
  std::string trouble;
  std::uint64_t decisions = 0;  ///< `schedule_hash()` at its end.
  EdgeTally edges{};            ///< What waited meanwhile.

  /// Whether two ways agree: how they came to it is not looked at.
  friend bool operator==(const Outcome& a, const Outcome& b) { return a.lines == b.lines && a.trouble == b.trouble; }
};

/// Runs programs in a process of its own, in one way. A process that ended or hangs is replaced at the next program; a
/// deterministic one at each, as only a process that did nothing else before does what the printed program will do.
class Player {
 public:
  /// `wrong` is `run_program`'s.
  Player(Way way, std::span<const Device> devices, std::string wrong = {});

  const Way& way() const { return way_; }
  /// Sends the program; `finish` waits for it. Between them another player may begin.
  void begin(const Program& program);
  Outcome finish();
  /// Instead of `finish`: ends the process, whatever it is at.
  void abandon();

  /// How long a program may take before it counts as hanging.
  static constexpr double patience = 60;

 private:
  Way way_;
  std::vector<std::string> arguments_;
  std::unique_ptr<ChildProcess> process_;
};

/// What the process does: for each line with a program's seed, its schedule's, and the numbers of its statements that
/// are run, one line with what was seen, the hash of the schedule and what waited. Returns an exit code when its input
/// ends.
int serve_programs(const std::vector<std::string>& devices, const std::string& wrong);

}  // namespace stretto::cli
