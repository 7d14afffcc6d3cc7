#include "cli/trace/reading.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <stretto/report/section.h>

#include "cli/terminal.h"

namespace stretto::cli {

void add_run_options(CLI::App& verb, ReadArguments& arguments) {
  verb.add_option("file", arguments.file, "Timeline file that STRETTO_TRACE wrote")->required()->type_name("FILE");
  verb.add_option("--section", arguments.section, "Only what ran in this section, the last time it was entered")
      ->type_name("NAME");
}

report::Run read_with_progress(const ReadArguments& arguments) {
  ProgressBar progress;
  report::Run run = report::read_run(
      arguments.file, [&](double fraction) { progress.show(fraction, fmt::format("reading {}", arguments.file)); });
  return arguments.section.empty() ? run : report::in_section(run, arguments.section);
}

Result in_seconds(std::string name, report::Nanoseconds duration) {
  return summarise(std::move(name), "s", {static_cast<double>(duration) * 1e-9});
}

}  // namespace stretto::cli
