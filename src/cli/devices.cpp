#include "cli/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <stretto/base/error.h>
#include <stretto/tensor/devices.h>

#include "cli/child_process.h"

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

int count_gpus() {
  ChildProcess child({own_program(), "helper", "count-gpus"});
  const std::optional<std::string> line = child.read_line();
  if (child.wait() != 0 || !line) throw Error("the process that counts the GPUs failed");
  return std::atoi(line->c_str());
}

void prepare_two_devices() {
  constexpr const char* variable = "STRETTO_CPU_DEVICES";
  if (std::getenv(variable) == nullptr && count_gpus() < 2) setenv(variable, "2", 1);
}

std::vector<Device> several_devices() {
  if (device_count(DeviceKind::cuda) >= 2) return try_all_gpus();
  std::vector<Device> devices;
  for (int i = 0; i < device_count(DeviceKind::cpu); ++i) devices.push_back(cpu(i));
  return devices;
}

}  // namespace stretto::cli
