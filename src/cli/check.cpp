#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/tensor/devices.h>

#include "cli/check/checker.h"
#include "cli/check/edge_counts.h"
#include "cli/check/printer.h"
#include "cli/devices.h"
#include "cli/results.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "cli/whole_number.h"

namespace stretto::cli {
namespace {

struct CheckArguments {
  CommonOptions common;
  std::vector<std::string> devices;
  CheckOptions options;
};

std::string names_of(const std::vector<Device>& devices) {
  std::string names;
  for (const Device device : devices) names += (names.empty() ? "" : ", ") + to_string(device);
  return names;
}

/// A machine without GPUs has two CPU devices and two simulated ones, unless somebody said otherwise.
void prepare_devices() {
  prepare_two_devices();
  constexpr const char* variable = "STRETTO_SIM_DEVICES";
  if (std::getenv(variable) == nullptr && count_gpus() == 0) setenv(variable, "2", 1);
}

/// The settings that were in force around those of the way, as a shell takes them.
std::string settings_around(const Way& way) {
  std::vector<std::string> settings;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view setting(*variable);
    const std::string_view name = setting.substr(0, setting.find('='));
    const bool is_of_way = std::ranges::find(way.variables, name, [](const auto& one) {
                             return std::string_view(one.first);
                           }) != way.variables.end();
    if (name.starts_with("STRETTO_") && name.size() + 1 < setting.size() && !is_of_way) settings.emplace_back(setting);
  }
  std::ranges::sort(settings);
  std::string text;
  for (const std::string& setting : settings) text += setting + " ";
  return text;
}

void show_disagreement(const Disagreement& disagreement) {
  const std::string seen_again = disagreement.runs == 0
                                     ? ""
                                     : fmt::format("// So it was in {} of {} runs, each in a new process.\n",
                                                   disagreement.differing_runs, disagreement.runs);
  const std::string comment = fmt::format(
      "// The program of seed {} of stretto check, made shorter. What it prints with\n"
      "//   {}{}\n"
      "// should be, every time, what it prints with\n"
      "//   {}{}\n"
      "// It was seen otherwise: {}.\n{}",
      disagreement.program.seed, settings_around(disagreement.way), to_text(disagreement.way),
      settings_around(serial_way()), to_text(serial_way()), disagreement.difference, seen_again);
  fmt::print("{}", to_source(disagreement.program, comment));
}

std::string figure_name(EdgeKind kind) {
  std::string text = name(kind.hazard) + "." + name(kind.crossing);
  for (char& c : text) {
    if (c == ' ' || c == '-') c = '_';
  }
  return "check.edges." + text;
}

/// So long a run must have crossed every kind of edge.
constexpr double seconds_for_all_kinds = 30;

/// What tasks came to wait for, and whether any kind is missing.
int show_edges(const CheckReport& report, const CheckOptions& options, std::vector<Result>& results) {
  fmt::print("{}\n{:<18}", faint("how often one really waited for the other, by why and between which lanes:"), "");
  for (std::size_t crossing = 0; crossing < crossing_count; ++crossing)
    fmt::print("  {:>16}", name(static_cast<Crossing>(crossing)));
  for_each_edge_kind([&](EdgeKind kind) {
    if (kind.crossing == Crossing{}) fmt::print("\n{:<18}", name(kind.hazard));
    if (!is_possible(kind, options.devices)) {
      fmt::print("  {:>16}", "-");
      return;
    }
    const std::uint64_t count = report.edges.at(kind.hazard, kind.crossing);
    fmt::print("  {:>16}", count);
    results.push_back(summarise(figure_name(kind), "edges", {static_cast<double>(count)}));
  });
  fmt::print("\n");
  const std::string missing = missing_kinds(report.edges, options.devices);
  if (missing.empty()) return success;
  const std::string message = "nothing ever waited in these ways: " + missing;
  if (options.seconds < seconds_for_all_kinds) {
    fmt::print("{}\n", faint(fmt::format("{}; in {:.0f} seconds it should", message, seconds_for_all_kinds)));
    return success;
  }
  std::fflush(stdout);
  fmt::print(stderr, "stretto: {}\n", message);
  return failure;
}

int check(CheckArguments arguments) {
  apply(arguments.common);
  prepare_devices();
  const ResultFile file(arguments.common.json);
  CheckOptions& options = arguments.options;
  options.devices = devices_named(arguments.devices, devices());
  CheckReport report;
  {
    ProgressBar progress;
    report = check_programs(options, [&](double fraction, const CheckReport& so_far) {
      progress.show(fraction, fmt::format("{} programs, {} tasks", so_far.programs, so_far.tasks));
    });
    if (report.disagreement) {
      progress.show(
          1, fmt::format("seed {} goes wrong; looking for a shorter program", report.disagreement->program.seed));
      report.disagreement = shrunk(*report.disagreement, options);
    }
  }
  if (report.disagreement) {
    const Disagreement& found = *report.disagreement;
    show_disagreement(found);
    std::fflush(stdout);
    fmt::print(stderr, "stretto: seed {} of {} goes wrong: {}\n", found.program.seed, names_of(options.devices),
               found.difference);
    return failure;
  }
  fmt::print("{} programs, {} tasks on {}: bit for bit what they give one statement after the other\n", report.programs,
             report.tasks, names_of(options.devices));
  fmt::print("{}\n",
             faint(fmt::format(
                 "seeds {} to {}, deterministic and with real threads, 1 to 8 workers, 1 to 4 streams, random delays",
                 options.seed, options.seed + report.programs - 1)));
  std::vector<Result> results = {summarise("check.programs", "programs", {static_cast<double>(report.programs)}),
                                 summarise("check.tasks", "tasks", {static_cast<double>(report.tasks)})};
  const int code = show_edges(report, options, results);
  file.write(results);
  return code;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App* verb = app.add_subcommand(
      "check", "Run random programs on everything at once, and compare with one statement after the other");
  verb->add_option("--seconds", arguments->options.seconds, "For how long")
      ->check([](const std::string& text) {
        return std::atof(text.c_str()) > 0 ? std::string() : "it must be more than 0 seconds, not " + text;
      })
      ->capture_default_str()
      ->type_name("S");
  verb->add_option("--seed", arguments->options.seed, "Of the first program; each next one counts up")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->capture_default_str()
      ->type_name("K");
  verb->add_option("--device", arguments->devices, "Use only these devices (cpu:0, sim:0, cuda:1)")->type_name("D");
  verb->add_option("--shrink", arguments->options.shrinking, "For how long what goes wrong is made shorter")
      ->check([](const std::string& text) {
        return std::atof(text.c_str()) >= 0 && !text.empty() && text[0] != '-'
                   ? std::string()
                   : "it must be 0 seconds or more, not " + text;
      })
      ->capture_default_str()
      ->type_name("S");
  // For scripts/soak.
  verb->add_flag("--soak", arguments->options.soaks)->group("");
  // For tests of the checker: a statement that the threads get wrong.
  verb->add_option("--wrong", arguments->options.wrong)->group("");
  add_common_options(*verb, arguments->common);
  verb->callback([arguments, &action] { action = [arguments] { return check(*arguments); }; });
}

}  // namespace stretto::cli
