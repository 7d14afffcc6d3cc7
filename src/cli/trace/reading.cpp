#include "cli/trace/reading.h"

#include <fmt/format.h>

#include "cli/terminal.h"

namespace stretto::cli {

report::Run read_with_progress(const std::string& path) {
  ProgressBar progress;
  return report::read_run(path, [&](double fraction) { progress.show(fraction, fmt::format("reading {}", path)); });
}

}  // namespace stretto::cli
