#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <optional>
#include <string>

namespace stretto::cli {

/// What the command's exit code says.
enum ExitCode : int { success = 0, failure = 1, wrong_usage = 2 };

/// Runs `stretto VERB ...` and returns its exit code. Everything that goes wrong is one line on standard error.
int run_command(int argc, const char* const* argv);

/// The options that every verb that computes takes.
struct CommonOptions {
  std::string json;
  std::optional<int> cpu_devices;
  std::optional<int> sim_devices;
};

/// Declares them. Numbers of devices are put into the environment by `apply`, which must come before the runtime's
/// first use.
void add_common_options(CLI::App& verb, CommonOptions& options);
void apply(const CommonOptions& options);

/// What the verb on the command line does; returns the exit code. Set by the verb that was chosen.
using Action = std::function<int()>;

}  // namespace stretto::cli
