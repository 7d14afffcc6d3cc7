#include <fmt/format.h>
#include <stretto/report/what_if.h>
#include <CLI/CLI.hpp>

#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cli/results.h"
#include "cli/terminal.h"
#include "cli/trace/reading.h"
#include "cli/trace/summary_text.h"
#include "cli/trace/trace_verbs.h"

namespace stretto::cli {
namespace {

struct WhatIfArguments {
  ReadArguments run;
  std::string json;
  report::Machine machine;
};

std::string machine_text(const report::Machine& machine) {
  std::vector<std::string> parts;
  if (machine.devices) parts.push_back(fmt::format("{} device{}", *machine.devices, *machine.devices == 1 ? "" : "s"));
  if (machine.link) parts.push_back(fmt::format("copies at {} GB/s", *machine.link));
  if (machine.compute != 1) parts.push_back(fmt::format("computing {} times as fast", machine.compute));
  return parts.empty() ? "the recorded machine" : fmt::format("{}", fmt::join(parts, ", "));
}

int what_if(const WhatIfArguments& arguments) {
  const ResultFile json(arguments.json);
  const report::Run run = read_with_progress(arguments.run);
  const report::Prediction prediction = report::predict(run, arguments.machine);
  const report::Nanoseconds recorded = run.end() - run.begin();
  const double ratio = recorded == 0 ? 0 : static_cast<double>(prediction.total) / static_cast<double>(recorded);
  const report::Bound& bound = prediction.bound;
  const bool is_lane = bound.work >= bound.chain;
  fmt::print("  recorded    {:>9}\n", duration_text(recorded));
  fmt::print("  predicted   {}  {:.3f} of the recorded time, with {}\n",
             bold(fmt::format("{:>9}", duration_text(prediction.total))), ratio, machine_text(arguments.machine));
  fmt::print("  bound       {:>9}  {}\n", duration_text(bound.bound()),
             is_lane ? "the work of " + bound.busiest : "the longest chain of dependencies");
  fmt::print("  bottleneck  {:>7.1f} %  {}\n", 100 * prediction.bottleneck_share, prediction.bottleneck);
  json.write({in_seconds("whatif.recorded", recorded), in_seconds("whatif.predicted", prediction.total),
              summarise("whatif.ratio", "ratio", {ratio}), in_seconds("whatif.bound", bound.bound())});
  return success;
}

std::string positive(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool is_number = end != text.c_str() && *end == '\0';
  if (is_number && value > 0 && value <= std::numeric_limits<double>::max()) return {};
  return "it must be more than 0, not " + text;
}

}  // namespace

void add_trace_what_if(CLI::App& trace, Action& action) {
  auto arguments = std::make_shared<WhatIfArguments>();
  CLI::App* verb = trace.add_subcommand("whatif", "How long a recorded run would take on another machine");
  add_run_options(*verb, arguments->run);
  verb->add_option("--devices", arguments->machine.devices, "So many devices that compute, each like the recorded ones")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  verb->add_option("--link", arguments->machine.link, "Copies between memories at so many GB/s")
      ->check(positive)
      ->type_name("GB/s");
  verb->add_option("--compute", arguments->machine.compute, "Devices that compute so many times as fast")
      ->check(positive)
      ->type_name("X");
  verb->add_option("--json", arguments->json, "Write the figures to this file as JSON")->type_name("FILE");
  verb->callback([arguments, &action] { action = [arguments] { return what_if(*arguments); }; });
}

}  // namespace stretto::cli
