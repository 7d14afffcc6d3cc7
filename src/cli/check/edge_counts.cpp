#include "cli/check/edge_counts.h"

#include <algorithm>
#include <array>

namespace stretto::cli {

std::string name(Hazard hazard) {
  constexpr std::array<const char*, hazard_count> names = {"read after write", "write after read", "write after write",
                                                           "block reuse", "host read"};
  return names[static_cast<std::size_t>(hazard)];
}

std::string name(Crossing crossing) {
  constexpr std::array<const char*, crossing_count> names = {"cpu to cpu",       "cpu to in-order",  "in-order to cpu",
                                                             "stream to stream", "device to device", "same lane"};
  return names[static_cast<std::size_t>(crossing)];
}

bool is_possible(EdgeKind kind, std::span<const Device> devices) {
  const auto in_order = std::ranges::count_if(devices, [](Device device) { return device.kind() != DeviceKind::cpu; });
  const bool cpu = in_order < std::ranges::ssize(devices);
  // The host is no lane. A block of the CPU comes back when its tasks have ended, and one that other lanes still use is
  // given to a worker or to another device only where there is no memory left, which these programs do not bring about.
  if (kind.hazard == Hazard::host_read && kind.crossing != Crossing::cpu_to_cpu &&
      kind.crossing != Crossing::in_order_to_cpu)
    return false;
  if (kind.hazard == Hazard::block_reuse && kind.crossing != Crossing::stream_to_stream &&
      kind.crossing != Crossing::same_lane)
    return false;
  switch (kind.crossing) {
    case Crossing::cpu_to_cpu: return cpu;
    case Crossing::cpu_to_in_order:
    case Crossing::in_order_to_cpu: return cpu && in_order > 0;
    case Crossing::device_to_device: return in_order > 1;
    default: return in_order > 0;
  }
}

std::string missing_kinds(const EdgeTally& edges, std::span<const Device> devices) {
  std::string missing;
  for_each_edge_kind([&](EdgeKind kind) {
    if (is_possible(kind, devices) && edges.at(kind.hazard, kind.crossing) == 0)
      missing += (missing.empty() ? "" : ", ") + name(kind.hazard) + " " + name(kind.crossing);
  });
  return missing;
}

void add(EdgeTally& sum, const EdgeTally& more) {
  for_each_edge_kind([&](EdgeKind kind) { sum.at(kind.hazard, kind.crossing) += more.at(kind.hazard, kind.crossing); });
}

}  // namespace stretto::cli
