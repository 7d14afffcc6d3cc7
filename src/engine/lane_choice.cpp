#include <algorithm>
#include <array>
#include <utility>

#include "engine/launcher.h"

namespace stretto {
namespace {

// How often it is looked at how far lanes have come: the lines are those of the thread that retires.
constexpr std::uint64_t choices_between_looks = 16;

}  // namespace

/// Sees how far the lanes have come, unless that was so shortly before that their loads cannot be very different.
void Launcher::look_at_loads(const std::vector<std::unique_ptr<LaneState>>& lanes) {
  if (choices_until_look_ > 0) {
    --choices_until_look_;
    return;
  }
  std::uint64_t all = 0;
  for (const auto& lane : lanes) {
    // Nodes of replays are in the load, too, and have no numbers.
    const auto load = static_cast<std::uint64_t>(lane->load.load(std::memory_order_acquire));
    lane->seen_done = lane->last_sequence - std::min(load, lane->last_sequence);
    all += load;
  }
  choices_until_look_ = std::min(choices_between_looks, all / 8);
}

Launcher::LaneState& Launcher::choose_lane(const Task& task) {
  const auto& lanes = lanes_[static_cast<std::size_t>(task.role)];
  if (lanes.size() == 1) return *lanes.front();
  LaneState* chosen = nullptr;
  std::array<Point, 8> open;  // More would be told apart no better.
  std::size_t count = 0;
  for_each_point(task, [&](Point point, std::uint64_t) {
    if (chosen != nullptr) return;
    const auto own = std::ranges::find(lanes, point.lane(), [](const auto& lane) { return lane->id; });
    // If the predecessor is still the lane's tail, this is its first successor: go on where it ran.
    if (own != lanes.end() && (*own)->last_sequence == point.sequence()) chosen = own->get();
    const bool is_open = own != lanes.end() ? (*own)->seen_done < point.sequence() : !lane_progress().complete(point);
    if (is_open && count < open.size()) open[count++] = point;
  });
  if (chosen == nullptr) {
    look_at_loads(lanes);
    // Among lanes that have about the least to do, the one that has the least to wait for: waits are calls of the
    // driver. Of equal ones the one with the least to do: so they are taken in turn, and what fills the device ends in
    // the order of the program, in which its results are copied.
    const auto load_of = [](const auto& lane) { return lane->last_sequence - lane->seen_done; };
    const auto waits_of = [&](const LaneState& lane) {
      return std::count_if(open.begin(), open.begin() + count,
                           [&lane](Point point) { return point.lane() != lane.id && !lane.clock.dominates(point); });
    };
    const std::uint64_t least = load_of(*std::ranges::min_element(lanes, {}, load_of));
    std::pair<std::ptrdiff_t, std::uint64_t> best;
    for (const auto& lane : lanes) {
      const std::uint64_t load = load_of(lane);
      if (load > least + least / 4) continue;
      const std::pair one{waits_of(*lane), load};
      if (chosen != nullptr && best <= one) continue;
      best = one;
      chosen = lane.get();
    }
  }
  return *chosen;
}

}  // namespace stretto
