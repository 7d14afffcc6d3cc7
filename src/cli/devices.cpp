#include "cli/devices.h"

#include <fmt/format.h>

#include <algorithm>

#include <stretto/base/error.h>
#include <stretto/tensor/devices.h>

namespace stretto::cli {

std::vector<Device> devices_named(const std::vector<std::string>& names, std::vector<Device> otherwise) {
  if (names.empty()) return otherwise;
  const std::vector<Device> present = stretto::devices();
  std::vector<Device> chosen;
  for (const std::string& name : names) {
    Device device;
    try {
      device = Device::parse(name);
    } catch (const DeviceError& error) {
      throw UsageError(error.message());
    }
    if (std::ranges::find(present, device) == present.end()) {
      std::vector<std::string> texts;
      for (const Device one : present) texts.push_back(to_string(one));
      throw UsageError(fmt::format("there is no device {} here; there is {}", name, fmt::join(texts, ", ")));
    }
    if (std::ranges::find(chosen, device) == chosen.end()) chosen.push_back(device);
  }
  return chosen;
}

}  // namespace stretto::cli
