// Who else has what is held submitted, and the ends of threads and of the process.

#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "engine/repeats.h"
#include "engine/scheduler.h"

namespace stretto {

void Repeats::release(const RepeatingThread* own) {
  MutexLock lock(mutex_);
  RepeatingThread* const holder = holder_.load(std::memory_order_relaxed);
  if (holder != nullptr && holder != own) submit_plainly(*holder);
  drop(lock);
}

void Repeats::release_idle() {
  MutexLock lock(mutex_);
  RepeatingThread* const holder = holder_.load(std::memory_order_relaxed);
  if (holder == nullptr) return;
  if (holder->state.load(std::memory_order_relaxed) != RepeatingThread::State::complete || !submit_section(*holder))
    submit_plainly(*holder);
  drop(lock);
}

bool Repeats::give_back() {
  MutexLock lock(mutex_);
  if (RepeatingThread* const holder = holder_.load(std::memory_order_relaxed)) submit_plainly(*holder);
  bool any = false;
  for (RepeatingThread* const one : threads_) {
    any |= !one->known.empty();
    one->known.clear();
  }
  drop(lock);
  return any;
}

void Repeats::end_thread(RepeatingThread& thread) {
  {
    MutexLock lock(mutex_);
    if (holder_.load(std::memory_order_relaxed) == &thread) submit_plainly(thread);
    std::erase(threads_, &thread);
    RepeatingThread* submitter = &thread;
    submitter_.compare_exchange_strong(submitter, nullptr, std::memory_order_relaxed);
    drop(lock);
  }
  delete &thread;
}

Repeats::Statistics Repeats::statistics() const {
  return {.replays = replays_.load(std::memory_order_relaxed),
          .tasks = tasks_.load(std::memory_order_relaxed),
          .launched = launched_.load(std::memory_order_relaxed),
          .recorded = recorded_.load(std::memory_order_relaxed),
          .left = left_.load(std::memory_order_relaxed)};
}

void Repeats::stop() {
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    if (RepeatingThread* const holder = holder_.load(std::memory_order_relaxed)) submit_plainly(*holder);
    drop(lock);
  }
  if (log_enabled(LogLevel::debug)) {
    const Statistics all = statistics();
    log(LogLevel::debug, "found by themselves to repeat: " + std::to_string(all.replays) + " sections with " +
                             std::to_string(all.tasks) + " tasks were replayed, " + std::to_string(all.launched) +
                             " of them launched in one go, by " + std::to_string(all.recorded) + " templates; " +
                             std::to_string(all.left) + " were left in the middle");
  }
  watch_.stop();
}

void Repeats::before_fork() {
  mutex_.lock();
  if (RepeatingThread* const holder = holder_.load(std::memory_order_relaxed)) submit_plainly(*holder);
  watch_.before_fork();
}

void Repeats::after_fork(bool in_child) {
  watch_.after_fork(in_child);
  if (in_child) submitter_ = nullptr;
  const std::vector<BufferReference> dropped = std::exchange(dropped_, {});
  mutex_.unlock();
}

}  // namespace stretto
