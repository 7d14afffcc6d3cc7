#pragma once

#include <string>

#include <stretto/report/run.h>

namespace stretto::report {

/// A page that shows the run in any browser, without a network: its timeline, critical path, utilisation, overlap,
/// waits and time by line.
STRETTO_API std::string to_page(const Run& run);

/// Writes the page to a file. Throws FileError when it cannot be written: nothing has been done then.
STRETTO_API void write_page(const Run& run, const std::string& path);

}  // namespace stretto::report
