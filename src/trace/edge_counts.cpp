#include <stretto/trace/edge_counts.h>

#include "trace/edge_counter.h"

namespace stretto {
namespace {

constinit std::array<std::array<std::atomic<std::uint64_t>, crossing_count>, hazard_count> counted{};

}  // namespace

constinit std::atomic<bool> trace::edges_are_counted{false};

void trace::count_edge(Hazards hazards, Crossing crossing) {
  for (std::size_t hazard = 0; hazard < hazard_count; ++hazard)
    if ((hazards >> hazard & 1) != 0)
      counted[hazard][static_cast<std::size_t>(crossing)].fetch_add(1, std::memory_order_relaxed);
}

void count_edges(bool on) { trace::edges_are_counted.store(on, std::memory_order_relaxed); }

EdgeTally edge_tally() {
  EdgeTally tally;
  for (std::size_t hazard = 0; hazard < hazard_count; ++hazard)
    for (std::size_t crossing = 0; crossing < crossing_count; ++crossing)
      tally.counts[hazard][crossing] = counted[hazard][crossing].load(std::memory_order_relaxed);
  return tally;
}

}  // namespace stretto
