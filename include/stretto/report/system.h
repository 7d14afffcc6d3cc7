#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stretto/base/export.h>
#include <stretto/core/device.h>

namespace stretto {

/// "0.1.0". Lives as long as the program.
STRETTO_API const char* version();

/// What a device is, as far as the runtime knows.
struct DeviceReport {
  Device device;
  std::string model;         ///< As the vendor writes it.
  std::size_t memory_bytes;  ///< What it can hold at most.
  int compute_units;         ///< Cores of a CPU device, multiprocessors of a GPU.
  std::string detail;        ///< Its lanes: workers, streams, copy engines. One line.
};

/// A kind of device that this process has none of, and why.
struct AbsentDevice {
  DeviceKind kind;
  std::string reason;
};

/// What this process runs on.
struct SystemReport {
  std::string processor;         ///< Model of the CPU.
  int cores;                     ///< That this process may use.
  std::size_t memory_bytes;      ///< Of the host, that this process may use.
  std::string operating_system;  ///< Kernel and architecture.
  std::string compiler;          ///< That the library was built with.
  std::string build;             ///< "Release", "Debug", ...
  std::vector<std::string> libraries;
  std::string engine;  ///< "parallel" or "serial".
  std::vector<DeviceReport> devices;
  std::vector<AbsentDevice> absent;
};

/// Asks every device; starts the runtime when it is not running yet.
STRETTO_API SystemReport system_report();

}  // namespace stretto
