#include "engine/watchdog.h"

#include <algorithm>
#include <cstdio>
#include <new>
#include <string>

#include "engine/scheduler.h"
#include "engine/stall_report.h"

namespace stretto {
namespace {

constexpr std::chrono::nanoseconds shortest_interval = std::chrono::milliseconds(1);
constexpr std::chrono::nanoseconds longest_interval = std::chrono::seconds(1);
constexpr int looks_for_patience = 8;

}  // namespace

Watchdog::Waiting::Waiting(Watchdog* watchdog, const char* what, CallSite site)
    : watchdog_(watchdog), what_(what), site_(site) {
  if (watchdog_ == nullptr) return;
  const MutexLock lock(watchdog_->mutex_);
  watchdog_->waiting_.push_back(this);
}

Watchdog::Waiting::~Waiting() {
  if (watchdog_ == nullptr) return;
  const MutexLock lock(watchdog_->mutex_);
  std::erase(watchdog_->waiting_, this);
}

Watchdog::Watchdog(Scheduler& scheduler, std::chrono::nanoseconds patience)
    : scheduler_(scheduler), patience_(patience), thread_([this] { watch(); }) {}

void Watchdog::stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    stopped_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Watchdog::reset_after_fork() {
  new (&mutex_) Mutex;
  new (&stopped_) ConditionVariable;
  new (&waiting_) std::vector<const Waiting*>;
  new (&thread_) Thread;
}

void Watchdog::watch() {
  const auto interval = std::clamp(patience_ / looks_for_patience, shortest_interval, longest_interval);
  const PendingCount& count = scheduler_.count();
  std::uint64_t seen = count.completed();
  std::chrono::nanoseconds still{0};
  bool told = false;
  SteadyClock::time_point looked = SteadyClock::now();
  MutexLock lock(mutex_);
  while (!stopping_) {
    stopped_.wait_for(lock, interval);
    const SteadyClock::time_point now = SteadyClock::now();
    // A process that was stopped as a whole did not wait in that time.
    still += std::min<std::chrono::nanoseconds>(now - looked, 2 * interval);
    looked = now;
    const std::uint64_t completed = count.completed();
    if (completed != seen || count.pending() == 0) {
      seen = completed;
      // The task that is waited for may have come right behind this look, or just before the next.
      still = -interval;
      told = false;
    } else if (!told && still >= patience_) {
      told = true;
      lock.unlock();
      tell();
      lock.lock();
    }
  }
}

void Watchdog::tell() {
  std::vector<std::string> waiting;
  {
    const MutexLock lock(mutex_);
    for (const Waiting* one : waiting_) {
      const std::string place = to_string(one->site_);
      waiting.push_back(std::string(one->what_) + (place.empty() ? "" : " at " + place));
    }
  }
  const std::vector<std::string> stall = describe_stall(scheduler_);
  // All had ended meanwhile.
  if (stall.empty()) return;
  const double seconds = std::chrono::duration<double>(patience_).count();
  char begin[64];
  std::snprintf(begin, sizeof begin, "no task has ended for %g s, and ", seconds);
  std::string text = "stretto: watchdog: " + (begin + stall.front()) + "\n";
  for (std::size_t i = 1; i < stall.size(); ++i) text += "stretto: watchdog:   " + stall[i] + "\n";
  for (const std::string& one : waiting) text += "stretto: watchdog:   the program waits: " + one + "\n";
  std::fputs(text.c_str(), stderr);
}

}  // namespace stretto
