#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <stretto/base/error.h>

#include "cli/bench/groups.h"
#include "cli/child_process.h"
#include "cli/devices.h"
#include "cli/nearest.h"
#include "cli/results.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "cli/whole_number.h"

namespace stretto::cli {
namespace {

int list() {
  for (const BenchGroup& group : bench_groups()) {
    fmt::print("{}  {}\n", bold(fmt::format("{:<10}", group.name)), group.about);
    for (const auto& [figure, meaning] : group.figures) fmt::print("  {:<28}  {}\n", figure, meaning);
  }
  return success;
}

bool is_asked_for(const BenchGroup& group, const std::string& name) {
  // A name may go on behind a figure of the list: matmul.1024 is one of matmul.<n>, tasks.chain.sim:0 one of
  // tasks.chain.
  return name == group.name || name.starts_with(group.name + ".");
}

void check_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::vector<std::string> known = {"list"};
    bool found = false;
    for (const BenchGroup& group : bench_groups()) {
      known.push_back(group.name);
      found |= name == group.name;
      for (const auto& [figure, meaning] : group.figures) {
        known.push_back(figure);
        const std::string stem = figure.substr(0, figure.find('<'));
        found |= asks_for(std::vector{name}, figure) || (stem != figure && name.starts_with(stem)) ||
                 name.starts_with(figure + ".");
      }
    }
    if (!found) {
      throw UsageError(fmt::format("there is no bench {}; did you mean {}? (stretto bench list shows all)", name,
                                   nearest(name, known)));
    }
  }
}

std::string number(double value) {
  if (value >= 1000) return fmt::format("{:.0f}", value);
  // At least three digits that say something.
  if (value > 0 && value < 0.1)
    return fmt::format("{:.{}f}", value, std::min(9, 2 - static_cast<int>(std::floor(std::log10(value)))));
  return fmt::format("{:.{}f}", value, value >= 100 ? 1 : value >= 10 ? 2 : 3);
}

void show(const Result& result) {
  const std::string name = fmt::format("{:<34}", result.name);
  fmt::print("  {}  {} {:<6}  {}\n", name, bold(fmt::format("{:>9}", number(result.value))), result.unit,
             faint(fmt::format("{} to {}", number(result.minimum), number(result.maximum))));
  std::fflush(stdout);
}

std::vector<std::string> arguments_for(const BenchGroup& group, const BenchOptions& options) {
  std::vector<std::string> arguments = {own_program(), "helper", "bench", group.name};
  const auto add = [&](const char* name, const std::string& value) {
    arguments.insert(arguments.end(), {name, value});
  };
  for (const std::string& name : options.names) add("--only", name);
  for (const std::string& device : options.devices) add("--device", device);
  if (options.size) add("--size", std::to_string(*options.size));
  if (options.count) add("--count", std::to_string(*options.count));
  add("--repeat", std::to_string(options.repeat));
  add("--precision", options.precision);
  return arguments;
}

/// Runs the group in a process of its own, so that no group finds what another left behind. Its exit code.
int run_group(const BenchGroup& group, const BenchOptions& options, std::vector<Result>& results) {
  ChildProcess::Variables variables;
  if (group.several_devices && std::getenv("STRETTO_CPU_DEVICES") == nullptr && count_gpus() < 2) {
    variables.emplace_back("STRETTO_CPU_DEVICES", "2");
  }
  if (group.finds_repeats) variables.emplace_back("STRETTO_REPLAY", "on");
  fmt::print("{}  {}\n", bold(group.name), faint(group.about));
  std::fflush(stdout);
  ProgressBar progress;
  ChildProcess child(arguments_for(group, options), variables);
  while (const auto line = child.read_line()) {
    const nlohmann::json message = nlohmann::json::parse(*line);
    if (message.contains("progress")) {
      progress.show(message["progress"], message["figure"].get<std::string>());
      continue;
    }
    results.push_back({message["name"], message["value"], message["unit"], message["min"], message["max"]});
    progress.clear();
    show(results.back());
  }
  progress.clear();
  const int code = child.wait();
  if (code > wrong_usage) {
    fmt::print(stderr, "stretto: the process that measures {} ended with {}\n", group.name, code);
    return failure;
  }
  return code;
}

/// One figure of all groups' machine.cores.
void merge_cores(std::vector<Result>& results) {
  const auto is_cores = [](const Result& result) { return result.name == "machine.cores"; };
  std::vector<double> medians;
  Result merged;
  for (const Result& result : results) {
    if (!is_cores(result)) continue;
    merged.minimum = medians.empty() ? result.minimum : std::min(merged.minimum, result.minimum);
    merged.maximum = std::max(merged.maximum, result.maximum);
    medians.push_back(result.value);
  }
  if (medians.empty()) return;
  std::erase_if(results, is_cores);
  const double median = summarise("", "", medians).value;
  results.push_back({"machine.cores", median, "cores", merged.minimum, merged.maximum});
}

int bench(const CommonOptions& common, const BenchOptions& options) {
  if (options.names == std::vector<std::string>{"list"}) return list();
  check_names(options.names);
  apply(common);
  const ResultFile file(common.json);
  std::vector<Result> results;
  int code = success;
  for (const BenchGroup& group : bench_groups()) {
    const bool chosen = options.names.empty() || std::ranges::any_of(options.names, [&](const std::string& name) {
                          return is_asked_for(group, name);
                        });
    if (chosen) code = std::max(code, run_group(group, options, results));
  }
  merge_cores(results);
  file.write(results);
  return code;
}

}  // namespace

void add_bench_options(CLI::App& verb, BenchOptions& options) {
  verb.add_option("--only", options.names)->group("");
  verb.add_option("--device", options.devices, "Measure on these devices (cpu:0, sim:0, cuda:1)")->type_name("D");
  verb.add_option("--size", options.size, "Size of the matrices")
      ->check(whole_number(1, 1'000'000'000))
      ->type_name("N");
  verb.add_option("--count", options.count, "How many tasks, products or steps")
      ->check(whole_number(1, 1'000'000'000))
      ->type_name("K");
  verb.add_option("--repeat", options.repeat, "Samples of each figure; the median is shown, and the least and largest")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str()
      ->type_name("R");
  verb.add_option("--precision", options.precision, "Of products of float32: high lets GPUs use TF32")
      ->check(CLI::IsMember({"highest", "high"}))
      ->capture_default_str()
      ->type_name("P");
}

void add_bench(CLI::App& app, Action& action) {
  struct Arguments {
    CommonOptions common;
    BenchOptions options;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand("bench", "Measure this machine: medians, with peers beside them where installed");
  verb->add_option("name", arguments->options.names, "Groups or figures, all by default; `list` shows them")
      ->type_name("NAME");
  add_bench_options(*verb, arguments->options);
  add_common_options(*verb, arguments->common);
  verb->callback(
      [arguments, &action] { action = [arguments] { return bench(arguments->common, arguments->options); }; });
}

}  // namespace stretto::cli
