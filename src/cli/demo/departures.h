#pragma once

#include <string>
#include <vector>

namespace stretto::cli {

/// For each step of a training over several devices: how many seconds before the other devices had made their last
/// gradient the first gradient had arrived on the first device; negative where it came later. Read from the timeline of
/// a process of its own, so that nothing but the training runs. `data` is the folder of the files. Blocks.
std::vector<double> measure_departures(const std::string& data, int steps);

/// What that process does.
int train_for_departures(const std::string& data, int steps);

}  // namespace stretto::cli
