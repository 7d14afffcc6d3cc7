#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <stretto/core/device.h>

#include "cli/check/program.h"

namespace stretto::cli {

/// Kinds of things that one task may have to wait for. A CPU device is unordered; others work in order, on streams.
enum class EdgeKind : std::uint8_t {
  read_after_write,
  write_after_read,
  write_after_write,
  cpu_to_cpu,
  cpu_to_in_order,
  in_order_to_cpu,
  stream_to_stream,  ///< Of one device that works in order, which may or may not choose another stream.
  device_to_device,  ///< Of two devices that work in order.
  block_reuse,       ///< A tensor is made while work on a dropped one of its size may be pending on the same device.
  host_read_wait,    ///< The host reads what may not be there yet.
};
inline constexpr std::size_t edge_kind_count = 10;

/// "read after write".
std::string_view name(EdgeKind kind);
/// Whether programs on these devices can have such an edge.
bool is_possible(EdgeKind kind, std::span<const Device> devices);

/// How many edges of each kind there are in programs, and tasks. They are what the statements ask for by what they read
/// and write; whether the tasks still ran when the engine looked, and on which stream, is not known here.
class EdgeCounts {
 public:
  void add(const Program& program);

  std::uint64_t operator[](EdgeKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  std::uint64_t tasks() const { return tasks_; }

 private:
  std::array<std::uint64_t, edge_kind_count> counts_{};
  std::uint64_t tasks_ = 0;
};

}  // namespace stretto::cli
