#include "backends/sim/sim_event.h"

#include "backends/sim/sim_queue.h"

namespace stretto {

std::exception_ptr SimEvent::failure() { return lost_ ? owner_.loss() : nullptr; }

void SimEvent::drop() {
  if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) owner_.recycle(*this);
}

void SimEvent::finish(SimTime moment, SimTime latency, bool lost, const std::optional<WorkTimes>& work) {
  moment_for_others_ = moment + latency;
  known_at_ = latency > SimTime{0} ? moment_for_others_ : SimTime{0};
  lost_ = lost;
  work_ = work;
  finished_.store(true, std::memory_order_release);
  const MutexLock lock(mutex_);
  for (SimQueue* waiter : waiters_) waiter->wake();
}

void SimEvent::add_waiter(SimQueue& queue) {
  const MutexLock lock(mutex_);
  waiters_.push_back(&queue);
}

void SimEvent::remove_waiter(SimQueue& queue) {
  const MutexLock lock(mutex_);
  std::erase(waiters_, &queue);
}

}  // namespace stretto
