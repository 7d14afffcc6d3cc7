#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include <stretto/report/chain.h>
#include <stretto/report/critical_path.h>
#include <stretto/report/lanes.h>
#include <stretto/report/overlap.h>
#include <stretto/report/page.h>

#include "cli/results.h"
#include "cli/terminal.h"
#include "cli/trace/reading.h"
#include "cli/trace/summary_text.h"
#include "cli/trace/trace_verbs.h"

namespace stretto::cli {
namespace {

struct SummaryArguments {
  ReadArguments run;
  std::string json;
  std::string page;
};

std::vector<Result> figures(const report::Run& run) {
  const report::Bound bound = report::bound(run);
  const report::Overlap overlap = report::overlap(run);
  const report::CriticalPath path = report::critical_path(run);
  std::vector<Result> results = {summarise("trace.tasks", "tasks", {static_cast<double>(run.tasks.size())}),
                                 in_seconds("trace.total", bound.total),
                                 in_seconds("trace.bound", bound.bound()),
                                 summarise("trace.ratio", "ratio", {bound.ratio()}),
                                 in_seconds("trace.chain", bound.chain),
                                 in_seconds("trace.compute", overlap.compute),
                                 in_seconds("trace.copies", overlap.copies),
                                 in_seconds("trace.overlap", overlap.both),
                                 summarise("trace.overlap.ratio", "ratio", {overlap.ratio()}),
                                 in_seconds("trace.path.work", path.work),
                                 in_seconds("trace.path.program", path.program)};
  for (const report::TrackUse& use : report::track_use(run)) {
    results.push_back(in_seconds("trace.busy." + run.tracks[use.track], use.busy));
  }
  return results;
}

int summary(const SummaryArguments& arguments) {
  const ResultFile json(arguments.json);
  const report::Run run = read_with_progress(arguments.run);
  fmt::print("{}", summary_text(run));
  if (!arguments.page.empty()) {
    report::write_page(run, arguments.page);
    fmt::print("\n{}\n", faint(fmt::format("{} shows it in a browser", arguments.page)));
  }
  json.write(figures(run));
  return success;
}

}  // namespace

void add_trace_summary(CLI::App& trace, Action& action) {
  auto arguments = std::make_shared<SummaryArguments>();
  CLI::App* verb = trace.add_subcommand("summary", "What limited a recorded run, and what would help");
  add_run_options(*verb, arguments->run);
  verb->add_option("--html", arguments->page, "Write a page for the browser to this file")->type_name("FILE");
  verb->add_option("--json", arguments->json, "Write the figures to this file as JSON")->type_name("FILE");
  verb->callback([arguments, &action] { action = [arguments] { return summary(*arguments); }; });
}

}  // namespace stretto::cli
