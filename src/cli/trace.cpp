#include <CLI/CLI.hpp>

#include "cli/trace/trace_verbs.h"
#include "cli/trace_run.h"
#include "cli/verbs.h"

namespace stretto::cli {

void add_trace(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("trace", "See what ran when, and why it waited");
  verb->require_subcommand(1);
  add_trace_run(*verb, action);
  add_trace_summary(*verb, action);
  add_trace_what_if(*verb, action);
}

}  // namespace stretto::cli
