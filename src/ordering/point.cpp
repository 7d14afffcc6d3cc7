#include "ordering/point.h"

#include <stretto/base/error.h>

namespace stretto {

LaneProgress& lane_progress() {
  static LaneProgress progress;
  return progress;
}

LaneId next_lane_id() {
  static std::atomic<int> last{0};
  const int id = ++last;
  if (id >= max_lanes) throw Error("more than " + std::to_string(max_lanes - 1) + " streams in one process");
  return static_cast<LaneId>(id);
}

}  // namespace stretto
