#include <stretto/report/system.h>
#include <sys/utsname.h>

#include <string>
#include <utility>

#include <hwloc.h>
#include <hwy/highway.h>

#include "backend/backend.h"
#include "backends/cpu/topology.h"
#include "engine/engine.h"

namespace stretto {
namespace {

std::string operating_system() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return std::string(names.sysname) + " " + names.release + " " + names.machine;
}

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

std::string dotted(int major, int minor, int patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

std::vector<std::string> libraries() {
  return {"Highway " + dotted(HWY_MAJOR, HWY_MINOR, HWY_PATCH),
          "hwloc API " + dotted(HWLOC_API_VERSION >> 16, (HWLOC_API_VERSION >> 8) & 0xff, HWLOC_API_VERSION & 0xff)};
}

std::string absence(DeviceKind kind, const Backend* backend) {
  if (backend == nullptr) return "this build has no backend for it";
  const std::string reason = backend->absence();
  if (!reason.empty()) return reason;
  return kind == DeviceKind::sim ? "none asked for: STRETTO_SIM_DEVICES is 0" : "none found";
}

}  // namespace

const char* version() { return STRETTO_VERSION; }

SystemReport system_report() {
  Engine& engine = Engine::get();
  SystemReport report;
  report.processor = cpu_model_name();
  report.operating_system = operating_system();
  report.compiler = compiler();
  report.build = STRETTO_BUILD_TYPE;
  report.libraries = libraries();
  report.engine = engine.serial() ? "serial" : "parallel";
  report.cores = split_cores(1).front().core_count;
  report.memory_bytes = 0;
  for (int number = 0; number < device_kind_count; ++number) {
    const auto kind = static_cast<DeviceKind>(number);
    const Backend* backend = engine.backend(kind);
    const int count = backend == nullptr ? 0 : backend->device_count();
    if (count == 0) report.absent.push_back({kind, absence(kind, backend)});
    for (int index = 0; index < count; ++index) {
      DeviceDescription description = backend->describe(index);
      // Every CPU device can hold what the host can.
      if (kind == DeviceKind::cpu) report.memory_bytes = description.memory_bytes;
      report.devices.push_back({Device(kind, index), std::move(description.name), description.memory_bytes,
                                description.compute_units, std::move(description.detail)});
    }
  }
  return report;
}

}  // namespace stretto
