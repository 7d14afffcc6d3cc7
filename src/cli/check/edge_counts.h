#pragma once

#include <span>
#include <string>

#include <stretto/core/device.h>
#include <stretto/trace/edge_counts.h>

namespace stretto::cli {

/// One kind of thing that a task, or the host, waits for.
struct EdgeKind {
  Hazard hazard;
  Crossing crossing;
};

/// "read after write", "cpu to in-order".
std::string name(Hazard hazard);
std::string name(Crossing crossing);
/// Whether programs on these devices can have such an edge.
bool is_possible(EdgeKind kind, std::span<const Device> devices);

/// Calls `visit(kind)` for all kinds, hazard by hazard.
template <class Visit>
void for_each_edge_kind(Visit visit) {
  for (std::size_t hazard = 0; hazard < hazard_count; ++hazard)
    for (std::size_t crossing = 0; crossing < crossing_count; ++crossing)
      visit(EdgeKind{static_cast<Hazard>(hazard), static_cast<Crossing>(crossing)});
}

/// The possible kinds of which there was none: "block reuse device to device, host read cpu to cpu".
std::string missing_kinds(const EdgeTally& edges, std::span<const Device> devices);

/// Adds what a process counted.
void add(EdgeTally& sum, const EdgeTally& more);

}  // namespace stretto::cli
