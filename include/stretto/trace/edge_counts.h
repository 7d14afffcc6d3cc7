#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <stretto/base/export.h>

namespace stretto {

/// Why one task waits for another.
enum class Hazard : std::uint8_t {
  read_after_write,
  write_after_read,
  write_after_write,
  block_reuse,  ///< It uses memory of which the last owner was still using a part.
  host_read,    ///< No task but a thread of the program, which reads what the other one writes.
};
inline constexpr std::size_t hazard_count = 5;

/// Between which lanes. A CPU device is unordered; others work in order, on streams and copy engines.
enum class Crossing : std::uint8_t {
  cpu_to_cpu,
  cpu_to_in_order,
  in_order_to_cpu,
  stream_to_stream,  ///< Of one device that works in order, copy engines included.
  device_to_device,  ///< Of two devices that work in order.
  same_lane,         ///< The later one stands behind the earlier one, which had not ended.
};
inline constexpr std::size_t crossing_count = 6;

/// How often each was really so.
struct EdgeTally {
  std::array<std::array<std::uint64_t, crossing_count>, hazard_count> counts{};

  std::uint64_t& at(Hazard hazard, Crossing crossing) {
    return counts[static_cast<std::size_t>(hazard)][static_cast<std::size_t>(crossing)];
  }
  std::uint64_t at(Hazard hazard, Crossing crossing) const {
    return counts[static_cast<std::size_t>(hazard)][static_cast<std::size_t>(crossing)];
  }
};

/// For programs that test the runtime: counts from here on what really had to wait, because the other one had not ended
/// when it was looked at. What another wait covers is not counted. Off, as at first, it costs a load an edge.
STRETTO_API void count_edges(bool on);
/// What was counted so far. May be called while tasks run.
STRETTO_API EdgeTally edge_tally();

}  // namespace stretto
