#include "backends/sim/sim_lane.h"

#include <utility>
#include <vector>

namespace stretto {

SimLane::SimLane(SimMachine& machine, SimDevice& device, LaneRole role, std::optional<std::uint64_t> delay_seed)
    : machine_(machine), device_(device), role_(role), delay_seed_(delay_seed), queue_(make_queue()) {}

std::unique_ptr<SimQueue> SimLane::make_queue() const {
  return std::make_unique<SimQueue>(machine_, device_, role_, delay_seed_);
}

void SimLane::reset_after_fork() {
  // The gone thread may have held the queue's locks, so the queue can be neither used nor destroyed.
  static auto* const forgotten = new std::vector<std::unique_ptr<SimQueue>>;
  forgotten->push_back(std::move(queue_));
  queue_ = make_queue();
}

}  // namespace stretto
