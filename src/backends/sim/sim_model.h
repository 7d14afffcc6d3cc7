#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "backend/kernel_context.h"
#include "backends/sim/sim_time.h"

namespace stretto {

/// How long things take on a simulated device. Rates are a second's; 0 is as fast as the host does it.
struct SimModel {
  SimTime launch{0};  ///< From the turn of a kernel or copy until it begins.
  SimTime event{0};   ///< From an event until the host and other lanes know of it.
  double float64 = 0;
  double float32 = 0;  ///< Operations of arithmetic, by type.
  double float16 = 0;
  double bfloat16 = 0;
  double integer = 0;
  double memory = 0;        ///< Bytes that kernels read and write.
  double to_host = 0;       ///< Bytes that a copy engine moves.
  double from_host = 0;     ///< The same.
  double peer = 0;          ///< The same.
  double staging = 0;       ///< Bytes that a staging thread moves between page-locked and ordinary memory of the host.
  int staging_threads = 1;  ///< Of each copy engine.
  /// Kernels of operators do not run and copies move nothing: values are what happens to be in memory, and only the
  /// durations mean something, which are the model's to the nanosecond. For predictions at sizes that the host could
  /// not compute.
  bool dry = false;

  /// How long a kernel keeps the whole device busy: the longer of its arithmetic and its memory.
  SimTime kernel_time(const KernelCost& cost) const;
  static SimTime copy_time(std::size_t bytes, double rate);
  void scale(double factor);
};

/// What goes wrong on purpose, at the count-th command, block or event of the device; 0 is never.
struct SimFaults {
  std::uint64_t lost_at = 0;       ///< A kernel or copy, with which the device is lost.
  std::uint64_t no_memory_at = 0;  ///< A block of memory that the pool asks for: it gets none, once.
  std::uint64_t no_stream_at = 0;  ///< A stream or copy engine that is used for the first time: the device is lost.
  std::uint64_t no_event_at = 0;   ///< An event: the device is lost.
};

/// One simulated device.
struct SimDeviceOptions {
  SimModel model;
  SimFaults faults;
  std::optional<std::size_t> memory_bytes;  ///< Its share of the host's where there is none.
  bool peer_access = true;                  ///< Whether copies between devices need not go by way of the host.
  bool protect = false;  ///< Whether threads of the host fault when they touch the device's memory; see SimProtection.
};

/// The options of each device, from the value of STRETTO_SIM_MODEL: items with commas between them, later ones over
/// earlier ones. An item is a machine (`h200`), a switch (`dry`, `protect`, `staged_peers`) or `name=value` (rates such
/// as `55G`, times such as `3us`); with `sim:K.` before it, it is for that device alone. Throws UsageError that says
/// which item is wrong and why.
std::vector<SimDeviceOptions> parse_sim_model(std::string_view text, int devices);

}  // namespace stretto
