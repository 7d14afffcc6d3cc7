#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/tensor/devices.h>

#include "cli/check/checker.h"
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

std::string device_settings() {
  std::string text;
  for (const char* variable : {"STRETTO_CPU_DEVICES", "STRETTO_SIM_DEVICES", "STRETTO_SIM_MODEL"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') text += fmt::format("{}={} ", variable, value);
  }
  return text;
}

void show_disagreement(const Disagreement& disagreement) {
  const std::string devices = device_settings();
  const std::string comment = fmt::format(
      "// The program of seed {} of stretto check, made shorter. What it prints with\n"
      "//   {}{}\n"
      "// should be, every time, what it prints with\n"
      "//   {}{}\n"
      "// It was seen otherwise: {}.\n",
      disagreement.program.seed, devices, to_text(disagreement.way), devices, to_text(serial_way()),
      disagreement.difference);
  fmt::print("{}", to_source(disagreement.program, comment));
}

std::string figure_name(EdgeKind kind) {
  std::string text(name(kind));
  for (char& c : text) {
    if (c == ' ' || c == '-') c = '_';
  }
  return "check.edges." + text;
}

/// What programs asked for, and whether any kind is missing.
int show_edges(const CheckReport& report, const std::vector<Device>& devices, std::vector<Result>& results) {
  fmt::print("{}\n", faint("what their statements ask to wait for, by what they read and write "
                           "(not what the engine came to wait for):"));
  std::string missing;
  for (std::size_t i = 0; i < edge_kind_count; ++i) {
    const auto kind = static_cast<EdgeKind>(i);
    if (!is_possible(kind, devices)) {
      fmt::print("  {:<18}  {}\n", name(kind), faint("cannot be with these devices"));
      continue;
    }
    const auto count = static_cast<double>(report.edges[kind]);
    fmt::print("  {:<18}  {:>10}\n", name(kind), report.edges[kind]);
    results.push_back(summarise(figure_name(kind), "edges", {count}));
    if (count == 0) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name(kind));
  }
  if (missing.empty()) return success;
  std::fflush(stdout);
  fmt::print(stderr, "stretto: the programs had no edge of these kinds: {}; more --seconds may\n", missing);
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
      progress.show(fraction, fmt::format("{} programs, {} tasks", so_far.programs, so_far.edges.tasks()));
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
             report.edges.tasks(), names_of(options.devices));
  fmt::print("{}\n",
             faint(fmt::format(
                 "seeds {} to {}, deterministic and with real threads, 1 to 8 workers, 1 to 4 streams, random delays",
                 options.seed, options.seed + report.programs - 1)));
  std::vector<Result> results = {summarise("check.programs", "programs", {static_cast<double>(report.programs)}),
                                 summarise("check.tasks", "tasks", {static_cast<double>(report.edges.tasks())})};
  const int code = show_edges(report, options.devices, results);
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
  // For tests of the checker: a statement that the threads get wrong.
  verb->add_option("--wrong", arguments->options.wrong)->group("");
  add_common_options(*verb, arguments->common);
  verb->callback([arguments, &action] { action = [arguments] { return check(*arguments); }; });
}

}  // namespace stretto::cli
