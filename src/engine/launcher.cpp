#include "engine/launcher.h"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <new>

#include <stretto/base/error.h>

#include "base/fork.h"
#include "base/mutation.h"
#include "engine/scheduler.h"

namespace stretto {
namespace {

// How long the issuer waits before it looks again for memory for tasks that found none.
constexpr std::chrono::milliseconds memory_retry{1};
constexpr int rounds_until_stuck = 20;
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

std::array<std::atomic<Launcher::LaneState*>, max_lanes> Launcher::all_lanes_{};

/// Calls `function(point, carries_value)` for the points of in-order predecessors.
template <typename Function>
void Launcher::for_each_point(const Task& task, Function function) {
  for_each_link(task, [&](const Link& link) {
    const Point point = Point::from_bits(link.bits & ~point_carries_value);
    if (point) function(point, (link.bits & point_carries_value) != 0);
  });
}

Launcher::Launcher(Scheduler& scheduler, EngineDevice& device) : scheduler_(scheduler), device_(device) {
  failed_points();  // made before anybody can fork
  for (Lane* lane : device.backend->lanes(device.device.index())) {
    auto state = std::make_unique<LaneState>(*lane);
    all_lanes_[lane->id()].store(state.get());
    lanes_[static_cast<std::size_t>(lane->role())].push_back(std::move(state));
  }
}

Launcher::~Launcher() { stop(); }

void Launcher::start() {
  started_ = true;
  issuer_ = Thread([this] { issue_loop(); });
  retirer_ = Thread([this] { retire_loop(); });
}

void Launcher::stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    pushed_.notify_all();
  }
  if (issuer_.joinable()) issuer_.join();
  {
    const MutexLock lock(retire_mutex_);
    retiring_stops_ = true;
    issued_any_.notify_all();
  }
  if (retirer_.joinable()) retirer_.join();
}

void Launcher::reset_after_fork() {
  // The threads are gone, and the driver's state with them: nothing may be called on the device's lanes any more.
  forked_.store(true);
  pending_.store(0);
  in_flight_.store(0);
  // What those threads held or waited for is left behind.
  new (&mutex_) Mutex;
  new (&pushed_) ConditionVariable;
  new (&retire_mutex_) Mutex;
  new (&issued_any_) ConditionVariable;
  new (&issuer_) Thread;
  new (&retirer_) Thread;
}

bool Launcher::fail_if_forked(Task& task) {
  if (!forked_.load(std::memory_order_relaxed)) [[likely]]
    return false;
  try {
    throw DeviceError(to_string(device_.device) + " cannot be used in a forked child");
  } catch (...) {
    scheduler_.fail(task, scheduler_.current_failure(task));
  }
  // Nothing runs on the device any more, so there is nothing the task would have to come after.
  task.invoke(task, nullptr);
  complete(task);
  return true;
}

void Launcher::push(Task& task) {
  pending_.fetch_add(1, std::memory_order_acq_rel);
  if (fail_if_forked(task)) return;
  const MutexLock lock(mutex_);
  if (!started_) start();
  ready_.push({task.priority.load(std::memory_order_relaxed), task.role != LaneRole::to_host, task.sequence, &task});
  pushed_.notify_one();
}

// --- Issuing
// -------------------------------------------------------------------------------------------------------------

void Launcher::issue_loop() {
  while (true) {
    Task* task = nullptr;
    {
      MutexLock lock(mutex_);
      while (ready_.empty() && !stopping_) {
        if (blocked_.empty()) {
          pushed_.wait(lock);
        } else if (!pushed_.wait_for(lock, memory_retry)) {
          break;
        }
      }
      if (stopping_) return;
      if (!ready_.empty()) {
        task = ready_.top().task;
        ready_.pop();
      }
    }
    // Tasks that found no memory go first, in the order of the program, whenever something may have changed.
    while (!blocked_.empty() && try_issue(*blocked_.begin()->second)) {
      blocked_.erase(blocked_.begin());
      stuck_rounds_ = 0;
    }
    if (task == nullptr) {
      fail_blocked_if_stuck();
      continue;
    }
    if (!try_issue(*task)) blocked_.emplace(task->sequence, task);
  }
}

bool Launcher::try_issue(Task& task) {
  if (const std::string why = device_.backend->loss(device_.device.index()); !why.empty()) [[unlikely]]
    fail_for_loss(task, why);
  LaneState& lane = choose_lane(task);
  PointSet memory_waits;
  // A task that is skipped is issued all the same, without memory: those behind it rely on it to end no earlier than
  // what it comes after.
  if (scheduler_.is_skipped(task)) {
    scheduler_.forget_allocations(task);
  } else if (!scheduler_.try_bind_memory(task, lane.lane.id(), memory_waits)) {
    return false;
  }
  issue(task, lane, memory_waits);
  return true;
}

void Launcher::fail_blocked_if_stuck() {
  // Memory may still come back while anything runs anywhere. When nothing has for a while, it will not.
  if (scheduler_.executing() > 0 || in_flight_.load() > 0 || ++stuck_rounds_ < rounds_until_stuck) return;
  stuck_rounds_ = 0;
  Task& first = *blocked_.begin()->second;
  blocked_.erase(blocked_.begin());
  scheduler_.fail_for_memory(first);
  try_issue(first);
}

Launcher::LaneState& Launcher::choose_lane(const Task& task) {
  auto& lanes = lanes_[static_cast<std::size_t>(task.role)];
  LaneState* chosen = nullptr;
  for_each_point(task, [&](Point point, bool) {
    // If the predecessor is still the lane's tail, this is its first successor: go on where it ran.
    for (const auto& lane : lanes)
      if (chosen == nullptr && lane->lane.id() == point.lane() && lane->last_sequence == point.sequence())
        chosen = lane.get();
  });
  if (chosen != nullptr) return *chosen;
  return **std::ranges::min_element(lanes, {},
                                    [](const auto& lane) { return lane->load.load(std::memory_order_relaxed); });
}

void Launcher::wait_for(LaneState& lane, Point point) {
  if (lane.clock.dominates(point)) return;
  if (!lane_progress().complete(point)) {
    LaneState& other = *all_lanes_[point.lane()].load();
    const MutexLock lock(other.mutex);
    if (!other.issued.empty() && other.issued.front().point.sequence() <= point.sequence()) {
      const Issued& behind = other.issued[point.sequence() - other.issued.front().point.sequence()];
      if (!is_broken(Mutation::event_wait)) lane.lane.wait(*behind.event);
      lane.clock.merge(*behind.clock);
      if (is_broken(Mutation::clock_entry)) [[unlikely]]
        lane.clock.advance(other.issued.back().point);
      waits_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  lane.clock.advance(point);
  lane.kept_clock = nullptr;
}

void Launcher::issue(Task& task, LaneState& lane, const PointSet& memory_waits) {
  {
    const MutexLock lock(lane.mutex);
    lane.released_events.swap(lane.retired_events);
  }
  for (Event* event : lane.released_events) lane.lane.release(event);
  lane.released_events.clear();
  for_each_point(task, [&](Point point, bool) { wait_for(lane, point); });
  for (const Point point : memory_waits) wait_for(lane, point);
  const Point point(lane.lane.id(), ++lane.last_sequence);
  ThreadControl::step();
  lane.lane.issue(task, scheduler_);
  Event* event = lane.lane.record();
  lane.clock.advance(point);
  if (lane.kept_clock == nullptr) lane.kept_clock = std::make_shared<const Clock>(lane.clock);
  lane.load.fetch_add(1, std::memory_order_relaxed);
  {
    const MutexLock lock(lane.mutex);
    lane.issued.push_back({&task, event, point, lane.kept_clock, false});
  }
  for (std::size_t i = 0; i < task.access_count; ++i) task.buffer(i).keep();
  ThreadControl::step();
  // Successors look for the event from here on. Only then may the task retire, and its slot be used again.
  scheduler_.issued(task, point);
  {
    const MutexLock lock(lane.mutex);
    lane.issued.back().announced = true;
  }
  if (in_flight_.fetch_add(1, std::memory_order_seq_cst) == 0) {
    const MutexLock lock(retire_mutex_);
    issued_any_.notify_one();
  }
}

void Launcher::run_to_end(Task& task) {
  pending_.fetch_add(1, std::memory_order_acq_rel);
  if (fail_if_forked(task)) return;
  if (!try_issue(task)) {
    scheduler_.fail_for_memory(task);
    try_issue(task);
  }
  for (auto& role : lanes_)
    for (auto& lane : role)
      while (lane->load.load() > 0)
        if (!retire_front(*lane)) yield();
}

// --- Retiring
// ------------------------------------------------------------------------------------------------------------

void Launcher::retire_loop() {
  // Its pauses are as short as they say.
  prctl(PR_SET_TIMERSLACK, 1000);
  int idle_polls = 0;
  unsigned looks = 0;
  while (true) {
    if (in_flight_.load(std::memory_order_seq_cst) == 0) {
      scheduler_.idle();
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
      for (auto& lane : lanes_[role])
        for (int left = lane->load.load(std::memory_order_relaxed); left > 0 && retire_front(*lane); --left) any = true;
    }
    ++looks;
    // Long kernels are not worth a core.
    idle_polls = any ? 0 : idle_polls + 1;
    if (issuing) {
      scheduler_.idle();
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
  Event* first = nullptr;
  std::uint64_t before = 0;
  std::uint64_t done = 1, open = 0;  // So many are known to be done, and so many may be.
  const auto event_of = [&lane](std::uint64_t index) {
    const MutexLock lock(lane.mutex);
    return lane.issued[index].event;
  };
  {
    const MutexLock lock(lane.mutex);
    if (lane.issued.empty()) return false;
    before = lane.issued.front().point.sequence() - 1;
    if (before < lane.done_until) return true;
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

bool Launcher::retire_front(LaneState& lane) {
  Task* task = nullptr;
  Point point;
  std::exception_ptr found_on_device;
  if (!is_front_done(lane)) return false;
  {
    const MutexLock lock(lane.mutex);
    const Issued& front = lane.issued.front();
    if (!front.announced) return false;
    // A failure is found when a task retires: what came before must have retired, for it to be passed on.
    bool in_turn = true;
    for_each_point(*front.task, [&](Point before, bool) { in_turn &= lane_progress().complete(before); });
    if (!in_turn) return false;
    task = front.task;
    point = front.point;
    found_on_device = front.event->failure();
    lane.retired_events.push_back(front.event);
    lane.issued.pop_front();
  }
  const std::string loss = found_on_device ? device_.backend->loss(device_.device.index()) : std::string();
  if (!loss.empty()) [[unlikely]] {
    fail_for_loss(*task, loss);
  } else if (found_on_device) [[unlikely]] {
    try {
      std::rethrow_exception(found_on_device);
    } catch (...) {
      scheduler_.fail(*task, scheduler_.current_failure(*task));
    }
  }
  for_each_point(*task, [&](Point before, bool carries_value) {
    if (carries_value && !is_broken(Mutation::poison))
      if (const FailureReference failure = failed_points().find(before)) scheduler_.fail(*task, failure);
  });
  ThreadControl::step();
  if (Failure* failure = task->failure.load(std::memory_order_acquire)) failed_points().add(point, failure);
  lane_progress().advance(point);
  lane.load.fetch_sub(1, std::memory_order_release);
  in_flight_.fetch_sub(1, std::memory_order_seq_cst);
  complete(*task);
  return true;
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
      for (const Issued& issued : lane->issued)
        if (issued.task != &task && (!issued.event->complete() || issued.event->failure() != nullptr))
          add(*issued.task);
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
  pending_.fetch_sub(1, std::memory_order_acq_rel);
  scheduler_.complete(task, nullptr);
}

}  // namespace stretto
