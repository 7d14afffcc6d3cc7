#pragma once

#include <string>

#include <stretto/report/run.h>

namespace stretto::cli {

/// What a person reads about a run in a terminal: several lines, each ended.
std::string summary_text(const report::Run& run);

/// "1.23 s", "45.6 ms", "7.89 us" or "12 ns".
std::string duration_text(report::Nanoseconds duration);

}  // namespace stretto::cli
