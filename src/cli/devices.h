#pragma once

#include <string>
#include <vector>

#include <stretto/core/device.h>

namespace stretto::cli {

/// The devices that `--device` named, or those given where it named none. A device named twice
/// counts once. Throws UsageError for a name that is none and for a device that is not there.
std::vector<Device> devices_named(const std::vector<std::string>& names, std::vector<Device> otherwise);

}  // namespace stretto::cli
