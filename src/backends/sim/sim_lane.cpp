#include "backends/sim/sim_lane.h"

#include <utility>
#include <vector>

namespace stretto {

SimLane::SimLane(LaneRole role, std::optional<std::uint64_t> delay_seed)
    : role_(role), delay_seed_(delay_seed), queue_(std::make_unique<SimQueue>(delay_seed)) {}

void SimLane::reset_after_fork() {
  // The gone thread may have held the queue's locks, so the queue can be neither used nor destroyed.
  static auto* const forgotten = new std::vector<std::unique_ptr<SimQueue>>;
  forgotten->push_back(std::move(queue_));
  queue_ = std::make_unique<SimQueue>(delay_seed_);
}

}  // namespace stretto
