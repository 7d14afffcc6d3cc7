#include "engine/estimated_times.h"

#include <algorithm>

namespace stretto {

void estimate_times(std::span<TracedWork> works, std::int64_t until, std::int64_t bound) {
  for (std::size_t i = 0; i < works.size(); ++i) {
    TracedWork& work = works[i];
    if (!work.times) {
      const auto rest = works.subspan(i);
      const auto next = std::ranges::find_if(rest, [](const TracedWork& one) { return one.times.has_value(); });
      const std::int64_t latest = next == rest.end() ? bound : next->times->began;
      const std::int64_t began = std::max(until, work.issued);
      work.times = {began, began + std::max<std::int64_t>(0, latest - began) / (next - rest.begin())};
      work.is_estimated = true;
    }
    until = std::max(until, work.times->ended);
  }
}

}  // namespace stretto
