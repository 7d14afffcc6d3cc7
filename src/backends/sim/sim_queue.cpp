#include "backends/sim/sim_queue.h"

#include <stretto/base/error.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "backends/sim/sim_protection.h"
#include "base/log.h"

namespace stretto {
namespace {

/// How often a thread that found nothing to do lets others run before it sleeps: waking it costs some microseconds.
constexpr int yields_before_sleep = 16;

template <typename Condition>
void yield_until(const Condition& condition) {
  for (int i = 0; i < yields_before_sleep && !condition(); ++i) sim_yield();
}

}  // namespace

SimQueue::SimQueue(SimMachine& machine, SimDevice& device, LaneRole role, std::optional<std::uint64_t> delay_seed)
    : device_(device), context_(machine, device, role, delay_seed), delays_(delay_seed) {}

void SimQueue::issue(Work& work, Executor& executor) {
  push({.work = &work, .executor = &executor, .issued = sim_now()});
}

Event* SimQueue::record() {
  device_.begin_event();
  ThreadControl::step();
  SimEvent& event = fresh_event();
  if (unfinished_.load(std::memory_order_acquire) == 0) {
    event.prepare(1);
    event.finish(moment_, SimTime{0}, dropped_.load(std::memory_order_relaxed), last_work_);
  } else {
    event.prepare(2);
    push({.finished = &event});
  }
  return &event;
}

void SimQueue::wait(SimEvent& event) {
  // What is issued from now on begins later anyway.
  if (event.finished() && event.moment_for_others() <= sim_now()) return;
  event.hold();
  push({.awaited = &event});
}

std::exception_ptr SimQueue::loss() const { return std::make_exception_ptr(DeviceError(device_.loss())); }

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
  MutexLock lock(mutex_);
  if (!thread_.joinable() && !stopping_ && !has_no_thread_) start();
  if (has_no_thread_) {
    lock.unlock();
    finish(command);
    return;
  }
  incoming_.push_back(command);
  has_incoming_.store(true, std::memory_order_relaxed);
  changed_.notify_one();
}

/// Starts the thread. Where the system has none for it the device is lost: what is left to do takes none.
void SimQueue::start() {
  device_.begin_stream();
  try {
    thread_ = SimThread([this] { run(); });
  } catch (const Error& error) {
    device_.lose(error.message());
    has_no_thread_ = true;
  }
}

void SimQueue::wake() {
  const MutexLock lock(mutex_);
  changed_.notify_one();
}

void SimQueue::begin_stop() {
  stopping_ = true;
  context_.begin_stop();
  wake();
}

void SimQueue::join() {
  SimThread ending;
  {
    const MutexLock lock(mutex_);
    ending = std::move(thread_);
  }
  if (ending.joinable()) ending.join();
  context_.stop();
}

void SimQueue::run() {
  sim_protection::open_for_this_thread();
  std::vector<Command> batch;
  while (take(batch)) {
    for (const Command& command : batch)
      if (!finish(command)) return;
    batch.clear();
  }
}

/// False when the lane is to end: a wait that a stop cut short is not done, nor is anything behind it.
bool SimQueue::finish(const Command& command) {
  perform(command);
  if (stopping_) return false;
  unfinished_.fetch_sub(1, std::memory_order_release);
  return true;
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
  delays_.dawdle();
  ThreadControl::step();
  if (command.work != nullptr) {
    carry_out(command);
  } else if (command.finished != nullptr) {
    command.finished->finish(moment_, device_.model().event, dropped_.load(std::memory_order_relaxed), last_work_);
    command.finished->drop();
  } else {
    block_until_complete(*command.awaited);
    moment_ = std::max(moment_, command.awaited->moment_for_others());
    command.awaited->drop();
  }
}

void SimQueue::carry_out(const Command& command) {
  if (!device_.begin_work()) {
    dropped_.store(true, std::memory_order_relaxed);
    last_work_.reset();
    command.executor->drop(*command.work);
    return;
  }
  context_.begin(std::max(moment_, command.issued) + device_.model().launch, delays_.choose());
  execute(*command.work, *command.executor);
  moment_ = context_.end();
  last_work_ = {context_.began().count(), moment_.count()};
  sim_sleep_until(moment_);
  // What was under way when the device was lost is not known to be done.
  if (device_.lost()) dropped_.store(true, std::memory_order_relaxed);
}

void SimQueue::execute(Work& work, Executor& executor) {
  try {
    executor.execute(work, context_);
  } catch (const std::exception& error) {
    // The executor promises not to throw; if it does, the work behind this one must still get its turn.
    log(LogLevel::error, std::string("work on a simulated device threw: ") + error.what());
  } catch (...) {
    log(LogLevel::error, "work on a simulated device threw something that is no exception");
  }
}

void SimQueue::block_until_complete(SimEvent& event) {
  yield_until([&] { return event.finished() || stopping_; });
  if (event.finished()) return;
  event.add_waiter(*this);
  {
    MutexLock lock(mutex_);
    while (!event.finished() && !stopping_) changed_.wait(lock);
  }
  event.remove_waiter(*this);
}

}  // namespace stretto
