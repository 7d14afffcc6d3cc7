#pragma once

#include <string>

#include <stretto/report/run.h>

namespace stretto::report {

/// What the page's scripts read: an object in JSON, which holds no "<" and so cannot end the element around it. Times
/// are nanoseconds from the run's begin.
std::string page_data(const Run& run);

}  // namespace stretto::report
