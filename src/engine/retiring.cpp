#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include <stretto/base/error.h>

#include "base/fork.h"
#include "base/mutation.h"
#include "engine/lane_replay.h"
#include "engine/launcher.h"
#include "engine/scheduler.h"

namespace stretto {
namespace {

// Between two looks at events while tasks are being issued: each look is in the way of an issue.
constexpr std::chrono::microseconds pause_while_issuing{30};
// And of those looks, how many at copies to the host there are for one at other lanes.
constexpr int looks_at_copies = 16;
constexpr int longest_pause_microseconds = 20;

/// Failures found on devices, by the point of the task that failed: what was issued behind it is poisoned when it
/// retires.
class FailedPoints {
 public:
  FailedPoints() { hold_across_fork(mutex_); }

  void add(Point point, Failure* failure) {
    const MutexLock lock(mutex_);
    failures_[point.bits()] = FailureReference(failure);
    any_.store(true, std::memory_order_release);
  }
  bool any() const { return any_.load(std::memory_order_relaxed); }
  void clear() {
    const MutexLock lock(mutex_);
    failures_.clear();
    any_.store(false, std::memory_order_relaxed);
  }
  FailureReference find(Point point) {
    if (!any_.load(std::memory_order_acquire)) return {};
    const MutexLock lock(mutex_);
    const auto found = failures_.find(point.bits());
    return found == failures_.end() ? FailureReference() : found->second;
  }

 private:
  std::atomic<bool> any_{false};
  Mutex mutex_;
  std::map<std::uint64_t, FailureReference> failures_ STRETTO_GUARDED_BY(mutex_);
};

FailedPoints& failed_points() {
  static auto& points = *new FailedPoints;
  return points;
}

}  // namespace

void Launcher::prepare_retiring() { failed_points(); }

/// Only tasks that were recorded before the failed one was complete ask by its point; later ones hear of it from the
/// logs. So when nothing is pending nobody will ask.
void Launcher::forget_failed_points() {
  if (!failed_points().any()) return;
  const SpinLockGuard lock(scheduler_.recording());
  if (scheduler_.count().pending() == 0) failed_points().clear();
}

void Launcher::retire_loop() {
  // Its pauses are as short as they say.
  prctl(PR_SET_TIMERSLACK, 1000);
  int idle_polls = 0;
  unsigned looks = 0;
  while (true) {
    if (in_flight_.load(std::memory_order_seq_cst) == 0) {
      scheduler_.idle();
      forget_failed_points();
      MutexLock lock(retire_mutex_);
      while (in_flight_.load(std::memory_order_seq_cst) == 0 && !retiring_stops_.load()) issued_any_.wait(lock);
      if (in_flight_.load() == 0) return;
    }
    const bool issuing = pending_.load(std::memory_order_relaxed) > in_flight_.load(std::memory_order_relaxed);
    bool any = false;
    for (std::size_t role = 0; role < lanes_.size(); ++role) {
      // What computes only gives back slots and memory, of which there is plenty, while copies are waited for.
      if (issuing && looks % looks_at_copies != 0 && role != static_cast<std::size_t>(LaneRole::to_host)) continue;
      // No more than is there now: a lane that is filled as fast as it retires would keep the others waiting.
      for (auto& lane : lanes_[role]) {
        int left = lane->load.load(std::memory_order_relaxed);
        for (int retired = 1; left > 0 && retired > 0; left -= retired) {
          retired = retire_front(*lane, std::min(left, most_at_once));
          any |= retired > 0;
        }
      }
    }
    ++looks;
    // Long kernels are not worth a core.
    idle_polls = any ? 0 : idle_polls + 1;
    if (issuing) {
      if (any) scheduler_.idle();
      sleep_for(pause_while_issuing);
    } else if (idle_polls < 64) {
      pause(32);
    } else {
      scheduler_.idle();
      sleep_for(std::chrono::microseconds(std::min(idle_polls / 8, longest_pause_microseconds)));
    }
  }
}

/// Whether the first task in the lane is done. An event tells of all before it, so that of many few are asked: first
/// the last of them, then by halves; but a failure is each task's own. Asking takes its time, in which tasks may be
/// issued.
bool Launcher::is_front_done(LaneState& lane) {
  const std::uint64_t before = lane.retired_until;
  if (before < lane.done_until) return true;
  Event* first = nullptr;
  std::uint64_t done = 1, open = 0;  // So many are known to be done, and so many may be.
  const auto event_of = [&lane](std::uint64_t index) {
    const MutexLock lock(lane.mutex);
    return lane.issued[index].event;
  };
  {
    const MutexLock lock(lane.mutex);
    if (lane.issued.empty()) return false;
    first = lane.issued.front().event;
    open = lane.issued.size();
  }
  if (!first->complete()) return false;
  for (std::uint64_t asked = open; done < open; asked = (done + open + 1) / 2) {
    Event& event = *event_of(asked - 1);
    if (event.complete() && event.failure() == nullptr) {
      done = asked;
    } else {
      open = asked - 1;
    }
  }
  lane.done_until = before + done;
  return true;
}

int Launcher::retire_front(LaneState& lane, int most) {
  if (!is_front_done(lane)) return 0;
  std::array<Retired, most_at_once> retired;
  int count = 0;
  bool are_timed = true;
  {
    const MutexLock lock(lane.mutex);
    const std::uint64_t until = std::min(lane.done_until, lane.announced.load(std::memory_order_acquire));
    while (count < most && !lane.issued.empty()) {
      Issued& front = lane.issued.front();
      if (front.point.sequence() > until) break;
      // A failure is found when a task retires: what came before must have retired, for it to be passed on.
      bool in_turn = true;
      for_each_point(*front.task, [&](Point before, std::uint64_t) {
        in_turn &= before.lane() == front.point.lane() || lane_progress().complete(before);
      });
      if (!in_turn) break;
      retired[count] = {front.task, front.point, front.event->failure(), {front.traced_from, {}}};
      if (retired[count].is_traced()) [[unlikely]] {
        retired[count].traced.times = front.event->times();
        are_timed &= retired[count].traced.times.has_value();
      }
      ++count;
      lane.retired_events.push_back(front.event);
      lane.retired_clocks.push_back(std::move(front.clock));
      lane.issued.pop_front();
    }
  }
  lane.retired_until += static_cast<std::uint64_t>(count);
  if (!are_timed) [[unlikely]]
    estimate_times(std::span(retired).first(static_cast<std::size_t>(count)), lane);
  for (int i = 0; i < count; ++i) retire(retired[i], lane);
  return count;
}

void Launcher::retire(const Retired& retired, LaneState& lane) {
  Task& task = *retired.task;
  const Point point = retired.point;
  std::exception_ptr found_on_device = retired.found_on_device;
  if (task.is_replay()) [[unlikely]] {
    const std::exception_ptr lost = take_marked(LaneReplay::of(task), lane);
    if (!found_on_device) found_on_device = lost;
  }
  const std::string loss = found_on_device ? device_.backend->loss(device_.device.index()) : std::string();
  if (!loss.empty()) [[unlikely]] {
    fail_for_loss(task, loss);
  } else if (found_on_device) [[unlikely]] {
    try {
      std::rethrow_exception(found_on_device);
    } catch (...) {
      scheduler_.fail(task, scheduler_.current_failure(task));
    }
  }
  const auto learn_of_failures = [&](Task& one) {
    for_each_own_point(one, [&](Point before, std::uint64_t flags) {
      if ((flags & point_carries_value) != 0 && !is_broken(Mutation::poison))
        if (const FailureReference failure = failed_points().find(before)) scheduler_.fail(one, failure);
    });
  };
  learn_of_failures(task);
  if (task.is_replay()) [[unlikely]] {
    for (Task* const hold : holds_of(task)) learn_of_failures(*hold);
    LaneReplay::of(task).end_nodes();
  }
  ThreadControl::step();
  if (Failure* failure = task.failure.load(std::memory_order_acquire)) failed_points().add(point, failure);
  if (retired.is_traced()) [[unlikely]]
    trace_retirement(retired, lane);
  lane_progress().advance(point);
  lane.load.fetch_sub(1, std::memory_order_release);
  in_flight_.fetch_sub(1, std::memory_order_seq_cst);
  complete(task);
}

/// The task was under way when the device was lost, or came later.
void Launcher::fail_for_loss(Task& task, const std::string& why) {
  try {
    throw DeviceError(describe_loss(task, why));
  } catch (const DeviceError&) {
    scheduler_.fail(task, scheduler_.current_failure(task));
  }
}

/// What was under way then is the same for all tasks that fail for it: put together when the first of them does.
std::string Launcher::describe_loss(const Task& task, const std::string& why) {
  constexpr std::size_t most_listed = 5;
  const MutexLock loss_lock(loss_mutex_);
  if (!loss_.empty()) return loss_;
  std::map<std::string, int> names;
  const auto add = [&names](const Task& one) {
    const std::string place = to_string(one.site());
    ++names[std::string(one.name) + (place.empty() ? "" : " at " + place)];
  };
  add(task);
  for (auto& role : lanes_) {
    for (auto& lane : role) {
      const MutexLock lock(lane->mutex);
      for (std::size_t i = 0; i < lane->issued.size(); ++i) {
        const Issued& issued = lane->issued[i];
        if (issued.task != &task && (!issued.event->complete() || issued.event->failure() != nullptr))
          add(*issued.task);
      }
    }
  }
  std::string list;
  std::size_t listed = 0;
  for (const auto& [name, count] : names) {
    list += listed == 0 ? "" : ", ";
    if (listed++ == most_listed) {
      list += "...";
      break;
    }
    list += name + (count > 1 ? " (" + std::to_string(count) + " times)" : "");
  }
  loss_ = to_string(device_.device) + " was lost: " + why + "; unfinished there: " + list;
  return loss_;
}

void Launcher::complete(Task& task) {
  LaneReplay* const replay = task.is_replay() || task.kind == Task::Kind::hold ? &LaneReplay::of(task) : nullptr;
  scheduler_.complete(task, nullptr);
  // Only now: what it held has been given back.
  pending_.fetch_sub(1, std::memory_order_acq_rel);
  if (replay != nullptr) [[unlikely]]
    replay->leave();
}

}  // namespace stretto
