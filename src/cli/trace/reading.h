#pragma once

#include <CLI/App.hpp>
#include <string>

#include <stretto/report/run.h>

#include "cli/results.h"

namespace stretto::cli {

/// The run that a verb is about.
struct ReadArguments {
  std::string file;
  std::string section;  ///< Only what ran in it; all where it is empty.
};

/// Declares them.
void add_run_options(CLI::App& verb, ReadArguments& arguments);

/// Reads the timeline file, and shows on a terminal how far it has come. Throws as `report::read_run` and
/// `report::in_section` do.
report::Run read_with_progress(const ReadArguments& arguments);

/// A duration of the run as a figure, in seconds.
Result in_seconds(std::string name, report::Nanoseconds duration);

}  // namespace stretto::cli
