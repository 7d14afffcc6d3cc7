#pragma once

#include <string>

#include <stretto/report/run.h>

namespace stretto::cli {

/// Reads a timeline file, and shows on a terminal how far it has come. Throws FileError as `report::read_run` does.
report::Run read_with_progress(const std::string& path);

}  // namespace stretto::cli
