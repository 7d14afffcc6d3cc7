#include <stretto/report/graph.h>

#include <cstdio>
#include <string>

#include <stretto/base/error.h>

#include "base/environment.h"
#include "trace/writer.h"

namespace stretto::report {
namespace {

/// STRETTO_GRAPH: the engine records, and calls this at the end of the process.
void draw_graph(const std::string& recording) {
  const Environment& settings = environment();
  if (!settings.graph) return;
  try {
    write_graph(read_run(recording), *settings.graph);
  } catch (const Error& error) {
    std::fprintf(stderr, "stretto: %s (the recording is in %s)\n", error.what(), recording.c_str());
    return;
  }
  if (!settings.trace) std::remove(recording.c_str());
}

[[maybe_unused]] const bool is_set = (trace::set_finish(&draw_graph), true);

}  // namespace
}  // namespace stretto::report
