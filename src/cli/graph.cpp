#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>

#include <stretto/report/graph.h>

#include "cli/trace/reading.h"
#include "cli/verbs.h"

namespace stretto::cli {
namespace {

struct GraphArguments {
  ReadArguments run;
  std::string output;
  std::optional<int> depth;
};

int graph(const GraphArguments& arguments) {
  const report::Run run = read_with_progress(arguments.run);
  const report::GraphOptions options{arguments.depth};
  if (arguments.output.empty()) {
    fmt::print("{}", report::to_dot(run, options));
  } else {
    report::write_graph(run, arguments.output, options);
  }
  return success;
}

}  // namespace

void add_graph(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<GraphArguments>();
  CLI::App* verb = app.add_subcommand("graph", "Draw the dependency graph of a recorded run");
  add_run_options(*verb, arguments->run);
  verb->add_option("-o,--output", arguments->output,
                   "A picture, .svg, or text for Graphviz, .dot; text to standard output if missing")
      ->check([](const std::string& path) {
        const bool is_known = path.ends_with(".svg") || path.ends_with(".dot") || path.ends_with(".gv");
        return is_known ? std::string() : "a graph is written to a .svg, .dot or .gv, not to " + path;
      })
      ->type_name("FILE");
  verb->add_option("--depth", arguments->depth, "Levels of sections to draw as boxes; deeper ones are one node each")
      ->check(CLI::Range(0, 1000))
      ->type_name("N");
  verb->callback([arguments, &action] { action = [arguments] { return graph(*arguments); }; });
}

}  // namespace stretto::cli
