#include "base/environment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <stretto/base/error.h>

namespace stretto {
namespace {

constexpr std::size_t most_devices = 64;

/// One row of the registry. `set` puts a value into the environment, or returns false when it is not allowed.
struct Variable {
  std::string_view name;
  std::string allowed;
  std::string_view default_value;
  std::string_view description;
  std::function<bool(Environment&, std::string_view)> set;
};

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <typename Field>
Variable integer(std::string_view name, Field Environment::* field, std::int64_t lowest, std::int64_t highest,
                 std::string_view default_value, std::string_view description) {
  return {name, fmt::format("an integer from {} to {}", lowest, highest), default_value, description,
          [=](Environment& environment, std::string_view text) {
            const auto value = parse_number<std::int64_t>(text);
            if (!value || *value < lowest || *value > highest) return false;
            environment.*field = static_cast<int>(*value);
            return true;
          }};
}

Variable size(std::string_view name, std::optional<std::size_t> Environment::* field, std::string_view default_value,
              std::string_view description) {
  return {name, "bytes, with K, M or G for powers of 1024", default_value, description,
          [=](Environment& environment, std::string_view text) {
            environment.*field = parse_size(text);
            return (environment.*field).has_value();
          }};
}

Variable seconds(std::string_view name, double Environment::* field, std::string_view default_value,
                 std::string_view description) {
  return {name, "seconds, 0 or more", default_value, description, [=](Environment& environment, std::string_view text) {
            const auto value = parse_number<double>(text);
            if (!value || !std::isfinite(*value) || *value < 0) return false;
            environment.*field = *value;
            return true;
          }};
}

Variable file(std::string_view name, std::optional<std::string> Environment::* field, std::string_view description) {
  return {name, "a file name", "none", description, [=](Environment& environment, std::string_view text) {
            environment.*field = std::string(text);
            return true;
          }};
}

Variable on_or_off(std::string_view name, bool Environment::* field, std::string_view default_value,
                   std::string_view description) {
  return {name, "on or off (1 or 0)", default_value, description, [=](Environment& environment, std::string_view text) {
            const bool on = text == "on" || text == "1";
            environment.*field = on;
            return on || text == "off" || text == "0";
          }};
}

bool set_engine(Environment& environment, std::string_view text) {
  environment.engine = text == "serial" ? EngineKind::serial : EngineKind::parallel;
  return text == "serial" || text == "parallel";
}

bool set_schedule(Environment& environment, std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const auto seed = parse_number<std::uint64_t>(text.substr(colon + 1));
  if (text.starts_with("random:")) {
    environment.schedule_seed = seed;
  } else if (text.starts_with("deterministic:")) {
    environment.deterministic_seed = seed;
  } else {
    return false;
  }
  return seed.has_value();
}

bool set_replay(Environment& environment, std::string_view text) {
  environment.repeats = text == "on" || text == "1";
  environment.replay = environment.repeats || text == "asked";
  return environment.replay || text == "off" || text == "0";
}

bool set_mutation(Environment& environment, std::string_view text) {
  environment.mutation = mutation_named(text);
  return environment.mutation != Mutation::none;
}

bool set_cuda_devices(Environment& environment, std::string_view text) {
  std::vector<int> gpus;
  while (text != "none") {
    const auto comma = text.find(',');
    const auto gpu = parse_number<int>(text.substr(0, comma));
    if (!gpu || *gpu < 0 || gpus.size() == most_devices) return false;
    gpus.push_back(*gpu);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  environment.cuda_devices = std::move(gpus);
  return true;
}

bool set_log(Environment& environment, std::string_view text) {
  for (const auto level : {LogLevel::off, LogLevel::error, LogLevel::warning, LogLevel::info, LogLevel::debug}) {
    if (text != to_string(level)) continue;
    environment.log = level;
    return true;
  }
  return false;
}

const std::vector<Variable>& variables() {
  static const std::vector<Variable> table = {
      {"STRETTO_ENGINE", "parallel or serial", "parallel",
       "The engine. The serial one runs every task when it is submitted, in program order: the meaning that the "
       "parallel "
       "one keeps.",
       set_engine},
      {"STRETTO_SCHEDULE", "random:SEED or deterministic:SEED, a seed from 0", "none",
       "For finding wrong orders in tests. `random`: random delays between the steps of engine and devices. "
       "`deterministic`: one thread at a time, in an order and with a clock that the seed decides; with seed 0 in "
       "turn.",
       set_schedule},
      integer("STRETTO_WORKERS", &Environment::workers, 1, 4096, "one a core",
              "Threads of the CPU pool. The cores counted are those that affinity and the control group allow."),
      integer("STRETTO_CPU_DEVICES", &Environment::cpu_devices, 1, 64, "1",
              "How many devices the CPU's cores are split into."),
      integer("STRETTO_SIM_DEVICES", &Environment::sim_devices, 0, 64, "0", "How many simulated devices there are."),
      {"STRETTO_SIM_MODEL", "items with commas between them, or none", "none",
       "How long things take on simulated devices, and what goes wrong there: `h200`, `float32=10T`, `to_host=5G`, "
       "`launch=3us`, `sim:0.speed=0.5`, ... (docs/testing.md has them all). Without it they are as fast as the host.",
       [](Environment& environment, std::string_view text) {
         environment.sim_model = text == "none" ? std::nullopt : std::optional<std::string>(text);
         return true;
       }},
      {"STRETTO_MUTATION", std::string(mutation_names()), "none",
       "For tests of `stretto check`: breaks this one thing of the engine, so that results may be wrong.",
       set_mutation},
      {"STRETTO_CUDA_DEVICES", "numbers of GPUs with commas between them, or none", "all",
       "The GPU of each CUDA device, as CUDA_VISIBLE_DEVICES leaves them. One that is named twice becomes two devices, "
       "each with half of its memory.",
       set_cuda_devices},
      integer("STRETTO_STREAMS", &Environment::streams, 1, 64, "4", "Compute streams of one GPU or simulated device."),
      on_or_off(
          "STRETTO_PEER_ACCESS", &Environment::peer_access, "on",
          "Whether GPUs copy to each other directly, where the machine has a way between them, or over the host."),
      integer("STRETTO_MAX_INFLIGHT", &Environment::max_inflight, 1, std::numeric_limits<std::int32_t>::max(), "16384",
              "Tasks that may be pending before a submission waits."),
      size("STRETTO_MEMORY_LIMIT", &Environment::memory_limit, "what the device or control group has",
           "Bytes that tensors may take on one device."),
      size("STRETTO_PINNED_LIMIT", &Environment::pinned_limit, "a quarter of the memory limit",
           "Bytes of page-locked host memory kept for copies from devices. Of what the CPU takes while GPUs are in use "
           "half as many are locked besides."),
      {"STRETTO_REPLAY", "off, asked or on (0 or 1)", "asked",
       "What is replayed: nothing; what was made by `compile`; or, besides, whatever a program submits again and "
       "again, "
       "with no `compile` in it.",
       set_replay},
      on_or_off("STRETTO_FUSE", &Environment::fuse, "on",
                "Whether elementwise operations of what `compile` made run as one pass over memory."),
      on_or_off(
          "STRETTO_GRAPHS", &Environment::graphs, "on",
          "Whether what repeats of such replays is recorded, so that a GPU launches it in one go, as a CUDA graph."),
      {"STRETTO_CHECK", "off, access or replay", "off",
       "`access`: a task that touches memory of tensors which it did not declare fails, and its error says what it "
       "was. The engine is then the serial one, several times slower (docs/testing.md). `replay`: what was made by "
       "`compile` runs at each call, which throws where a replay would not do the same (docs/replay.md).",
       [](Environment& environment, std::string_view text) {
         environment.check_access = text == "access";
         environment.check_replay = text == "replay";
         return environment.check_access || environment.check_replay || text == "off";
       }},
      file("STRETTO_TRACE", &Environment::trace, "Where the timeline of the run is written, as it goes."),
      {"STRETTO_GRAPH", "a file name that ends in .svg, .dot or .gv", "none",
       "Where the dependency graph of the run is written at exit: as a picture, or as text for Graphviz.",
       [](Environment& environment, std::string_view text) {
         environment.graph = std::string(text);
         return text.ends_with(".svg") || text.ends_with(".dot") || text.ends_with(".gv");
       }},
      {"STRETTO_LOG", "off, error, warning, info or debug", "warning", "How much is written to standard error.",
       set_log},
      seconds(
          "STRETTO_WATCHDOG", &Environment::watchdog, "0 (off)",
          "After how long without the end of any task, while some are pending, standard error is told what waits for "
          "what (docs/testing.md)."),
      seconds("STRETTO_EXIT_TIMEOUT", &Environment::exit_timeout, "30",
              "How long the end of the program waits for tasks with outside effects before it says what was lost."),
  };
  return table;
}

/// The number of single-character edits, transpositions of neighbours among them, from one name to the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> distance(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) distance[i][0] = i;
  std::iota(distance[0].begin(), distance[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = distance[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      distance[i][j] = std::min({replaced, distance[i - 1][j] + 1, distance[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
      }
    }
  }
  return distance[a.size()][b.size()];
}

std::string_view nearest_name(std::string_view name) {
  const auto nearest = std::ranges::min_element(
      variables(), {}, [name](const Variable& variable) { return edit_distance(name, variable.name); });
  return nearest->name;
}

Environment read_process_environment() {
  std::vector<std::string_view> assignments;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) assignments.emplace_back(*entry);
  ParsedEnvironment parsed = parse_environment(assignments);
  if (parsed.values.log >= LogLevel::warning) {
    // Written directly: log() asks for the environment, which is being made here.
    for (const std::string& warning : parsed.warnings) fmt::print(stderr, "stretto: warning: {}\n", warning);
  }
  return std::move(parsed.values);
}

}  // namespace

const Environment& environment() {
  static const Environment values = [] {
    Environment read = read_process_environment();
    mutation::active = read.mutation;
    return read;
  }();
  return values;
}

ParsedEnvironment parse_environment(std::span<const std::string_view> assignments) {
  ParsedEnvironment parsed;
  for (const std::string_view assignment : assignments) {
    const auto equals = assignment.find('=');
    if (equals == std::string_view::npos || !assignment.starts_with("STRETTO_")) continue;
    const std::string_view name = assignment.substr(0, equals);
    const std::string_view value = assignment.substr(equals + 1);

    const auto variable = std::ranges::find(variables(), name, &Variable::name);
    if (variable == variables().end()) {
      parsed.warnings.push_back(
          fmt::format("the environment variable {} is unknown; did you mean {}?", name, nearest_name(name)));
    } else if (!value.empty() && !variable->set(parsed.values, value)) {
      throw UsageError(fmt::format("environment variable {}={}: the value must be {}", name, value, variable->allowed));
    }
  }
  if (parsed.values.check_access) parsed.values.engine = EngineKind::serial;
  return parsed;
}

std::optional<std::size_t> parse_size(std::string_view text) {
  if (text.empty()) return std::nullopt;
  int shift = 0;
  switch (text.back()) {
    case 'K':
    case 'k': shift = 10; break;
    case 'M':
    case 'm': shift = 20; break;
    case 'G':
    case 'g': shift = 30; break;
    default: break;
  }
  if (shift != 0) text.remove_suffix(1);
  const auto count = parse_number<std::size_t>(text);
  if (!count || *count > (std::numeric_limits<std::size_t>::max() >> shift)) return std::nullopt;
  return *count << shift;
}

std::string environment_table() {
  std::string text =
      "# Environment variables\n\n"
      "Stretto reads these once, at the first use. A bad value is an error that says what is allowed; an unknown\n"
      "`STRETTO_` name is warned about, with the nearest one. An empty value is as if it were not set.\n"
      "`CUDA_VISIBLE_DEVICES`, `NO_COLOR` and the limits of the control group hold as well.\n\n"
      "<!-- Generated from src/base/environment.cpp: cmake --build --preset dev --target environment_docs -->\n\n"
      "| variable | value | default | what it does |\n"
      "|---|---|---|---|\n";
  for (const Variable& variable : variables()) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", variable.name, variable.allowed, variable.default_value,
                        variable.description);
  }
  return text;
}

}  // namespace stretto
