#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/mutation.h"

namespace stretto {

/// Which engine runs the tasks.
enum class EngineKind { parallel, serial };

/// The values of the `STRETTO_*` variables, parsed and checked. A member that is empty was not set: its owner chooses,
/// as the variable's description says. Fields are in the order of the table in docs/environment.md.
struct Environment {
  EngineKind engine = EngineKind::parallel;
  /// The seed of `random:SEED`: where it is set, random delays disturb the order in which threads meet.
  std::optional<std::uint64_t> schedule_seed;
  /// The seed of `deterministic:SEED`: where it is set, ThreadControl decides whose turn it is.
  std::optional<std::uint64_t> deterministic_seed;
  std::optional<int> workers;
  int cpu_devices = 1;
  int sim_devices = 0;
  /// As it was written: whoever makes the devices reads it.
  std::optional<std::string> sim_model;
  /// The GPU of each CUDA device; one may be there several times.
  std::optional<std::vector<int>> cuda_devices;
  int streams = 4;
  /// Whether GPUs copy to each other directly.
  bool peer_access = true;
  std::int64_t max_inflight = 16384;
  /// Bytes of one device.
  std::optional<std::size_t> memory_limit;
  /// Bytes of the process.
  std::optional<std::size_t> pinned_limit;
  /// What tests break on purpose.
  Mutation mutation = Mutation::none;
  /// Whether what `compile` made replays what it recorded.
  bool replay = true;
  /// Whether what repeats itself in other programs is replayed, too.
  bool repeats = false;
  /// Whether elementwise operations of a replay run as one pass.
  bool fuse = true;
  /// Whether replays on GPUs are recorded as graphs.
  bool graphs = true;
  /// Whether tasks are held against what they declared. Then the engine is the serial one.
  bool check_access = false;
  /// Whether compiled functions run at each call, and what they submit is held against what was recorded.
  bool check_replay = false;
  std::optional<std::string> trace;
  std::optional<std::string> graph;
  LogLevel log = LogLevel::warning;
  /// Seconds; 0 is off.
  double watchdog = 0;
  /// Seconds.
  double exit_timeout = 30;

  bool operator==(const Environment&) const = default;
};

/// The environment of this process, read at the first call and never again; later calls cost a load. Warns once, on
/// standard error, about every `STRETTO_*` variable that does not exist. Throws UsageError naming the variable, its
/// value and what is allowed; a value that was bad is read again at the next call.
const Environment& environment();

/// What parsing gives: the values, and one line for each unknown `STRETTO_*` name.
struct ParsedEnvironment {
  Environment values;
  std::vector<std::string> warnings;
};

/// Parses assignments of the form `NAME=VALUE`. Names that do not begin with `STRETTO_` are passed over; an empty value
/// is as if it were not set. Throws UsageError as `environment()` does.
ParsedEnvironment parse_environment(std::span<const std::string_view> assignments);

/// Bytes of a size such as `4096`, `512K`, `64M` or `2G` (powers of 1024, either case); empty if it is none or does not
/// fit.
std::optional<std::size_t> parse_size(std::string_view text);

/// The table of all variables in Markdown: the text of docs/environment.md.
std::string environment_table();

}  // namespace stretto
