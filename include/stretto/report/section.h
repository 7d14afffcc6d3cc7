#pragma once

#include <string>

#include <stretto/report/run.h>

namespace stretto::report {

/// What a run did in a section, as a run of its own: "layer1" has "layer1/forward" in it. Of a section that was entered
/// several times, with other tasks between, the last time. Dependencies on other tasks are left out, and waits that do
/// not begin between its first submission and its last end. Throws UsageError, which names some sections that there
/// are, when no task is in it.
STRETTO_API Run in_section(const Run& run, const std::string& section);

}  // namespace stretto::report
