#include "backends/sim/sim_event.h"

#include "backends/sim/sim_queue.h"

namespace stretto {

void SimEvent::drop() {
  if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) owner_.recycle(*this);
}

void SimEvent::finish() {
  complete_.store(true, std::memory_order_release);
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
