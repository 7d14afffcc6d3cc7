#include "cli/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include <stretto/base/error.h>
#include <stretto/report/system.h>

namespace stretto::cli {
namespace {

nlohmann::ordered_json describe_machine() {
  const SystemReport system = system_report();
  nlohmann::ordered_json devices = nlohmann::ordered_json::array();
  for (const DeviceReport& device : system.devices) {
    devices.push_back({{"name", to_string(device.device)},
                       {"model", device.model},
                       {"compute_units", device.compute_units},
                       {"memory_bytes", device.memory_bytes},
                       {"detail", device.detail}});
  }
  return {{"processor", system.processor},     {"cores", system.cores},       {"memory_bytes", system.memory_bytes},
          {"system", system.operating_system}, {"compiler", system.compiler}, {"devices", std::move(devices)}};
}

FileError cannot_write(const std::string& path) {
  return FileError(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

}  // namespace

Result summarise(std::string name, std::string unit, std::vector<double> samples) {
  std::ranges::sort(samples);
  const std::size_t half = samples.size() / 2;
  const double median = samples.size() % 2 == 1 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
  return {std::move(name), median, std::move(unit), samples.front(), samples.back()};
}

ResultFile::ResultFile(std::string path) : path_(std::move(path)) {
  // Opened for appending, so that what an earlier run left is there until this one has something better.
  if (!path_.empty() && !std::ofstream(path_, std::ios::app)) throw cannot_write(path_);
}

void ResultFile::write(const std::vector<Result>& results) const {
  if (path_.empty()) return;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Result& result : results) {
    list.push_back({{"name", result.name},
                    {"value", result.value},
                    {"unit", result.unit},
                    {"min", result.minimum},
                    {"max", result.maximum}});
  }
  const nlohmann::ordered_json document = {
      {"version", version()}, {"machine", describe_machine()}, {"results", std::move(list)}};
  std::ofstream file(path_);
  file << document.dump(2) << '\n';
  file.close();
  if (!file) throw cannot_write(path_);
}

}  // namespace stretto::cli
