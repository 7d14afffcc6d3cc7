#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include <stretto/report/system.h>

#include "cli/results.h"
#include "cli/terminal.h"
#include "cli/verbs.h"

namespace stretto::cli {
namespace {

std::string gibibytes(std::size_t bytes) { return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30)); }

int info(const CommonOptions& options) {
  apply(options);
  const ResultFile file(options.json);
  const SystemReport system = system_report();

  fmt::print("{} {}\n\n", bold("Stretto"), version());
  const auto line = [](const char* name, const std::string& value) { fmt::print("  {:<12}{}\n", name, value); };
  line("processor", fmt::format("{}, {} cores for this process", system.processor, system.cores));
  line("memory", gibibytes(system.memory_bytes));
  line("system", system.operating_system);
  line("built", fmt::format("{}, with {}", system.build, system.compiler));
  line("libraries", fmt::format("{}", fmt::join(system.libraries, ", ")));
  line("engine", system.engine);

  fmt::print("\n{}\n", bold("Devices"));
  for (const DeviceReport& device : system.devices) {
    fmt::print("  {:<10}  {:<34}  {:>3} {}  {:>10}  {}\n", to_string(device.device), device.model, device.compute_units,
               device.device.kind() == DeviceKind::cuda ? "multiprocessors" : "cores", gibibytes(device.memory_bytes),
               device.detail);
  }
  if (!system.absent.empty()) {
    fmt::print("\n{}\n", bold("Not here"));
    for (const AbsentDevice& device : system.absent) fmt::print("  {:<10}  {}\n", name(device.kind), device.reason);
  }
  file.write({});
  return success;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  auto options = std::make_shared<CommonOptions>();
  CLI::App* verb = app.add_subcommand("info", "Version, devices and their lanes, and what is missing and why");
  add_common_options(*verb, *options);
  verb->callback([options, &action] { action = [options] { return info(*options); }; });
}

}  // namespace stretto::cli
