#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace stretto {

/// What the control group of this process (a container, a batch job) allows it; empty members are not limited.
struct ControlGroupLimits {
  std::optional<std::size_t> memory_bytes;
  std::optional<double> processors;  ///< Processor time: 2.5 is two and a half processors' worth.
};

/// Reads versions 1 and 2, and takes the tightest limit between the process's group and the top. What cannot be read
/// does not limit. `root` is where `/proc` and the mounted groups are looked for.
ControlGroupLimits control_group_limits(const std::string& root = "");

}  // namespace stretto
