#include "cli/command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/report/system.h>

#include "cli/nearest.h"
#include "cli/verbs.h"

namespace stretto::cli {
namespace {

int complain(ExitCode code, std::string message) {
  // An error is one line, whatever is in it.
  std::ranges::replace(message, '\n', ' ');
  std::fflush(stdout);
  fmt::print(stderr, "stretto: {}\n", message);
  return code;
}

std::vector<std::string> names_of_verbs(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App* verb) { return !verb->get_group().empty(); })) {
    names.push_back(verb->get_name());
  }
  return names;
}

std::vector<std::string> names_of_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_name().starts_with("-")) names.push_back(option->get_name());
  }
  return names;
}

/// The subcommand that the arguments had reached when they stopped making sense.
const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.back());
}

std::string describe_extra(const CLI::App& app) {
  const CLI::App& reached = innermost(app);
  const std::vector<std::string> extras = app.remaining(true);
  const std::string extra = extras.empty() ? std::string() : extras.front();
  const std::string of = &reached == &app ? std::string() : fmt::format(" of {}", reached.get_name());
  if (extra.starts_with("-")) {
    const std::string name = extra.substr(0, extra.find('='));
    return fmt::format("unknown option {}{}; did you mean {}?", name, of, nearest(name, names_of_options(reached)));
  }
  const std::vector<std::string> verbs = names_of_verbs(reached);
  if (verbs.empty()) return fmt::format("{} takes no argument {}", reached.get_name(), extra);
  return fmt::format("unknown {} {}{}; did you mean {}?", &reached == &app ? "verb" : "argument", extra, of,
                     nearest(extra, verbs));
}

int parse_and_run(int argc, const char* const* argv) {
  CLI::App app("Stretto: ordinary sequential tensor code, run on everything at once.", "stretto");
  app.set_version_flag("--version", version());
  app.set_help_flag("--help,-h", "Say what there is");
  app.require_subcommand(1);
  Action action;
  add_info(app, action);
  add_demo(app, action);
  add_bench(app, action);
  add_train(app, action);
  add_check(app, action);
  add_trace(app, action);
  add_graph(app, action);
  add_helper(app, action);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    return complain(wrong_usage, describe_extra(app));
  } catch (const CLI::RequiredError& error) {
    // A verb that is none leaves the place of the verb empty.
    if (!app.remaining(true).empty()) return complain(wrong_usage, describe_extra(app));
    const CLI::App& reached = innermost(app);
    const std::string verbs = fmt::format("{}", fmt::join(names_of_verbs(reached), ", "));
    if (verbs.empty()) return complain(wrong_usage, error.what());
    if (&reached == &app) return complain(wrong_usage, fmt::format("which verb? {} (stretto --help says more)", verbs));
    return complain(wrong_usage, fmt::format("{} what? {}", reached.get_name(), verbs));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
    return complain(wrong_usage, error.what());
  }
  return action();
}

}  // namespace

int run_command(int argc, const char* const* argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const UsageError& error) {
    return complain(wrong_usage, error.what());
  } catch (const std::exception& error) {
    return complain(failure, error.what());
  }
}

void add_common_options(CLI::App& verb, CommonOptions& options) {
  verb.add_option("--json", options.json, "Write the figures to this file as JSON")->type_name("FILE");
  verb.add_option("--cpu-devices", options.cpu_devices, "Split the CPU's cores into so many devices")
      ->check(CLI::Range(1, 64))
      ->type_name("N");
  verb.add_option("--sim-devices", options.sim_devices, "Add so many simulated GPUs, made of host threads")
      ->check(CLI::Range(0, 64))
      ->type_name("N");
}

void apply(const CommonOptions& options) {
  if (options.cpu_devices) setenv("STRETTO_CPU_DEVICES", std::to_string(*options.cpu_devices).c_str(), 1);
  if (options.sim_devices) setenv("STRETTO_SIM_DEVICES", std::to_string(*options.sim_devices).c_str(), 1);
}

}  // namespace stretto::cli
