#pragma once

#include <atomic>
#include <cstdint>

#include <stretto/trace/edge_counts.h>

namespace stretto::trace {

extern std::atomic<bool> edges_are_counted;

inline bool counting_edges() { return edges_are_counted.load(std::memory_order_relaxed); }

/// Several hazards of one edge: a bit each.
using Hazards = std::uint8_t;
constexpr Hazards hazards_of(Hazard hazard) { return static_cast<Hazards>(1u << static_cast<unsigned>(hazard)); }

/// Counts one edge for each of its hazards. Any thread.
void count_edge(Hazards hazards, Crossing crossing);

}  // namespace stretto::trace
