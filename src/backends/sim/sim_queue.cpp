#include "backends/sim/sim_queue.h"

#include <chrono>
#include <exception>
#include <string>
#include <utility>

#include "base/log.h"

namespace stretto {
namespace {

/// How often a thread that found nothing to do lets others run before it sleeps: waking it costs some microseconds.
constexpr int yields_before_sleep = 16;

/// Simulated kernels run on their lane's thread from beginning to end.
class SimContext final : public KernelContext {
 public:
  void parallel_for(std::int64_t chunks, FunctionRef<void(std::int64_t)> body) override {
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) body(chunk);
  }
};

template <typename Condition>
void yield_until(const Condition& condition) {
  for (int i = 0; i < yields_before_sleep && !condition(); ++i) std::this_thread::yield();
}

}  // namespace

SimQueue::SimQueue(std::optional<std::uint64_t> delay_seed) {
  if (delay_seed) delays_.emplace(*delay_seed);
}

void SimQueue::issue(Work& work, Executor& executor) { push({.work = &work, .executor = &executor}); }

Event* SimQueue::record() {
  SimEvent& event = fresh_event();
  if (unfinished_.load(std::memory_order_acquire) == 0) {
    event.prepare(true, 1);
  } else {
    event.prepare(false, 2);
    push({.finished = &event});
  }
  return &event;
}

void SimQueue::wait(SimEvent& event) {
  if (event.complete()) return;
  event.hold();
  push({.awaited = &event});
}

void SimQueue::recycle(SimEvent& event) {
  const MutexLock lock(events_mutex_);
  unused_events_.push_back(&event);
}

SimEvent& SimQueue::fresh_event() {
  const MutexLock lock(events_mutex_);
  if (unused_events_.empty()) return events_.emplace_back(*this);
  SimEvent* event = unused_events_.back();
  unused_events_.pop_back();
  return *event;
}

void SimQueue::push(const Command& command) {
  unfinished_.fetch_add(1, std::memory_order_relaxed);
  const MutexLock lock(mutex_);
  incoming_.push_back(command);
  has_incoming_.store(true, std::memory_order_relaxed);
  if (!thread_.joinable() && !stopping_) thread_ = std::thread([this] { run(); });
  changed_.notify_one();
}

void SimQueue::wake() {
  const MutexLock lock(mutex_);
  changed_.notify_one();
}

void SimQueue::begin_stop() {
  stopping_ = true;
  wake();
}

void SimQueue::join() {
  std::thread ending;
  {
    const MutexLock lock(mutex_);
    ending = std::move(thread_);
  }
  if (ending.joinable()) ending.join();
}

void SimQueue::run() {
  std::vector<Command> batch;
  while (take(batch)) {
    for (const Command& command : batch) {
      perform(command);
      // A wait that a stop cut short is not done, nor is anything behind it.
      if (stopping_) return;
      unfinished_.fetch_sub(1, std::memory_order_release);
    }
    batch.clear();
  }
}

/// Blocks until there are commands; false when the thread is to end.
bool SimQueue::take(std::vector<Command>& batch) {
  yield_until([this] { return has_incoming_.load(std::memory_order_relaxed) || stopping_; });
  MutexLock lock(mutex_);
  while (incoming_.empty() && !stopping_) changed_.wait(lock);
  batch.swap(incoming_);
  has_incoming_.store(false, std::memory_order_relaxed);
  return !stopping_;
}

void SimQueue::perform(const Command& command) {
  dawdle();
  if (command.work != nullptr) {
    execute(*command.work, *command.executor);
  } else if (command.finished != nullptr) {
    command.finished->finish();
    command.finished->drop();
  } else {
    block_until_complete(*command.awaited);
    command.awaited->drop();
  }
}

void SimQueue::execute(Work& work, Executor& executor) {
  SimContext context;
  try {
    executor.execute(work, context);
  } catch (const std::exception& error) {
    // The executor promises not to throw; if it does, the work behind this one must still get its turn.
    log(LogLevel::error, std::string("work on a simulated device threw: ") + error.what());
  } catch (...) {
    log(LogLevel::error, "work on a simulated device threw something that is no exception");
  }
}

void SimQueue::block_until_complete(SimEvent& event) {
  yield_until([&] { return event.complete() || stopping_; });
  if (event.complete()) return;
  event.add_waiter(*this);
  {
    MutexLock lock(mutex_);
    while (!event.complete() && !stopping_) changed_.wait(lock);
  }
  event.remove_waiter(*this);
}

void SimQueue::dawdle() {
  if (!delays_) return;
  constexpr std::uint64_t longest_microseconds = 40;
  const std::uint64_t drawn = (*delays_)();
  switch (drawn % 8) {
    case 0: std::this_thread::sleep_for(std::chrono::microseconds(drawn / 8 % longest_microseconds)); break;
    case 1: std::this_thread::yield(); break;
    default: break;
  }
}

}  // namespace stretto
