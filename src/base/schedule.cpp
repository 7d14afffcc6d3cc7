#include <stretto/base/schedule.h>

#include <utility>

#include "base/environment.h"
#include "base/thread.h"

namespace stretto {

class ScheduledThread::State : public Thread {
  using Thread::Thread;
};

bool deterministic_schedule() {
  if (const auto seed = environment().deterministic_seed) ThreadControl::begin_once(*seed);
  return ThreadControl::active();
}

void reseed_schedule(std::uint64_t seed) {
  if (deterministic_schedule()) ThreadControl::reseed(seed);
}

std::uint64_t schedule_hash() { return deterministic_schedule() ? ThreadControl::trace_hash() : 0; }

std::int64_t schedule_now() {
  deterministic_schedule();
  return nanoseconds_now();
}

ScheduledThread::ScheduledThread(std::function<void()> body) {
  deterministic_schedule();
  state_ = std::make_unique<State>(std::move(body));
}
ScheduledThread::ScheduledThread(ScheduledThread&&) noexcept = default;
ScheduledThread::~ScheduledThread() = default;

void ScheduledThread::join() { state_->join(); }

}  // namespace stretto
