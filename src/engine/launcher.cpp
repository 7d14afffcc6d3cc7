#include "engine/launcher.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include <stretto/base/error.h>

#include "base/fork.h"
#include "base/mutation.h"
#include "base/prefetch.h"
#include "engine/lane_replay.h"
#include "engine/scheduler.h"

namespace stretto {
namespace {

// How long the issuer waits before it looks again for memory for tasks that found none.
constexpr std::chrono::milliseconds memory_retry{1};
constexpr int retries_until_hopeless = 20;

trace::Hazards hazards_in(std::uint64_t flags) {
  const auto hazard_if = [flags](std::uint64_t flag, Hazard hazard) {
    return (flags & flag) != 0 ? trace::hazards_of(hazard) : trace::Hazards{0};
  };
  return static_cast<trace::Hazards>(hazard_if(point_carries_value, Hazard::read_after_write) |
                                     hazard_if(link_after_read, Hazard::write_after_read) |
                                     hazard_if(link_after_write, Hazard::write_after_write));
}

/// Asks for what is touched once the task is issued, and other threads wrote, while the driver works: what it accesses,
/// and of those that go then one after the other, since each tells of the next.
class PrefetchBehindIssue {
 public:
  explicit PrefetchBehindIssue(const Task& task) : next_(task.issue_successors.load(std::memory_order_acquire)) {
    for (std::size_t i = 0; i < task.access_count; ++i) task.buffer(i).prefetch_keepers();
    prefetch();
  }
  /// The next of those that go: the last one's lines are there.
  void go_on() {
    if (!is_link()) return;
    next_ = reinterpret_cast<const Link*>(next_ & ~link_flags)->bits;
    prefetch();
  }

 private:
  bool is_link() const {
    return next_ != 0 && next_ != closed_list && (next_ & (link_in_extension | link_of_buffer)) == 0;
  }
  void prefetch() const {
    if (!is_link()) return;
    const std::uintptr_t successor = next_ & ~link_flags & ~(std::uintptr_t{alignof(Task)} - 1);
    for (std::size_t line = 0; line < sizeof(Task); line += 64)
      prefetch_for_write(reinterpret_cast<const std::byte*>(successor) + line);
  }

  std::uintptr_t next_;
};

}  // namespace

std::array<std::atomic<Launcher::LaneState*>, max_lanes> Launcher::all_lanes_{};
thread_local Launcher* Launcher::issuing_here_ = nullptr;

Launcher::Launcher(Scheduler& scheduler, EngineDevice& device) : scheduler_(scheduler), device_(device) {
  prepare_retiring();
  for (Lane* lane : device.backend->lanes(device.device.index())) {
    auto& role = lanes_[static_cast<std::size_t>(lane->role())];
    auto state =
        std::make_unique<LaneState>(*lane, device.device, track_name(device.device, lane->role(), role.size()));
    all_lanes_[lane->id()].store(state.get());
    role.push_back(std::move(state));
  }
}

Launcher::~Launcher() { stop(); }

void Launcher::start() {
  // In a child every task fails.
  if (forked_.load(std::memory_order_relaxed)) return;
  const MutexLock lock(starting_);
  if (started_) return;
  issuer_ = Thread([this] { issue_loop(); });
  try {
    retirer_ = Thread([this] { retire_loop(); });
  } catch (...) {
    stop();
    issuer_ = Thread();
    stopping_ = false;
    retiring_stops_ = false;
    throw;
  }
  started_ = true;
}

void Launcher::stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    pushed_.notify_all();
  }
  if (issuer_.joinable()) issuer_.join();
  preparer_.stop();
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
  blocked_count_.store(0);
  // What those threads held or waited for is left behind.
  new (&mutex_) Mutex;
  new (&pushed_) ConditionVariable;
  new (&retire_mutex_) Mutex;
  new (&issued_any_) ConditionVariable;
  new (&issuer_) Thread;
  new (&retirer_) Thread;
  preparer_.reset_after_fork();
  new (&recorded_mutex_) Mutex;
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
  if (task.is_replay()) {
    const std::span<Task* const> holds = LaneReplay::of(task).fail_all(scheduler_.failure_of(task));
    pending_.fetch_add(static_cast<int>(holds.size()), std::memory_order_acq_rel);
    for (Task* const hold : holds) complete(*hold);
  }
  complete(task);
  return true;
}

void Launcher::push(Task& task) {
  pending_.fetch_add(1, std::memory_order_acq_rel);
  if (fail_if_forked(task)) return;
  const ReadyTask ready{task.priority.load(std::memory_order_relaxed), task.role != LaneRole::to_host, task.sequence,
                        &task};
  // What becomes ready because another task was issued.
  if (issuing_here_ == this) {
    ready_.push(ready);
    return;
  }
  const MutexLock lock(mutex_);
  inbox_.push_back(ready);
  has_mail_.store(true, std::memory_order_relaxed);
  pushed_.notify_one();
}

// --- Issuing
// -------------------------------------------------------------------------------------------------------------

bool Launcher::collect() {
  if (ready_.empty()) choices_until_look_ = 0;
  if (!ready_.empty() && !has_mail_.load(std::memory_order_relaxed)) return !stopping_.load(std::memory_order_relaxed);
  {
    MutexLock lock(mutex_);
    while (inbox_.empty() && ready_.empty() && !stopping_.load(std::memory_order_relaxed)) {
      if (blocked_.empty()) {
        pushed_.wait(lock);
      } else if (!pushed_.wait_for(lock, memory_retry)) {
        break;
      }
    }
    if (stopping_.load(std::memory_order_relaxed)) return false;
    mail_.swap(inbox_);
    has_mail_.store(false, std::memory_order_relaxed);
  }
  for (const ReadyTask& ready : mail_) ready_.push(ready);
  mail_.clear();
  return true;
}

void Launcher::issue_loop() {
  issuing_here_ = this;
  std::optional<MemoryWait> memory;  // while tasks wait for it
  while (collect()) {
    Task* task = nullptr;
    if (!ready_.empty()) {
      task = ready_.top().task;
      ready_.pop();
      // Its lines were written by whoever submitted it.
      if (!ready_.empty())
        for (std::size_t line = 0; line < sizeof(Task); line += 64)
          prefetch_for_write(reinterpret_cast<const std::byte*>(ready_.top().task) + line);
    }
    // Tasks that found no memory go first, in the order of the program, whenever something may have changed.
    if (memory) {
      retry_blocked(*memory);
      if (task == nullptr && memory->is_hopeless() && !scheduler_.give_back_repeats()) fail_first_blocked();
      if (blocked_.empty()) memory.reset();
    }
    if (task != nullptr && !try_issue(*task)) {
      blocked_.emplace(task->sequence, task);
      if (!memory) {
        memory.emplace(scheduler_, nullptr, retries_until_hopeless);
        forget_recorded();
      }
      blocked_count_.fetch_add(1, std::memory_order_seq_cst);
    }
  }
}

void Launcher::retry_blocked(MemoryWait& memory) {
  memory.attempt();
  while (!blocked_.empty() && try_issue(*blocked_.begin()->second)) {
    blocked_.erase(blocked_.begin());
    blocked_count_.fetch_sub(1, std::memory_order_seq_cst);
  }
  memory.look();
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
  } else {
    if (task.is_replay()) [[unlikely]]
      LaneReplay::of(task).bind_where_recorded(task);
    if (!scheduler_.try_bind_memory(task, lane.lane.id(), memory_waits)) return false;
  }
  issue(task, lane, memory_waits);
  return true;
}

void Launcher::fail_first_blocked() {
  Task& first = *blocked_.begin()->second;
  blocked_.erase(blocked_.begin());
  blocked_count_.fetch_sub(1, std::memory_order_seq_cst);
  scheduler_.fail_for_memory(first);
  try_issue(first);
}

/// What is issued next comes after `point`.
void Launcher::follow(LaneState& lane, Point point, trace::Hazards hazards) {
  const bool is_behind = point.lane() == lane.lane.id() && trace::counting_edges() && !lane_progress().complete(point);
  const bool waits = wait_for(lane, point);
  if (!trace::counting_edges()) [[likely]]
    return;
  if (is_behind) {
    trace::count_edge(hazards, Crossing::same_lane);
  } else if (waits) {
    const bool is_own = all_lanes_[point.lane()].load()->device == device_.device;
    trace::count_edge(hazards, is_own ? Crossing::stream_to_stream : Crossing::device_to_device);
  }
}

/// Whether the lane has to wait for what it did not know of.
bool Launcher::wait_for(LaneState& lane, Point point) {
  if (lane.clock.dominates(point) || lane_progress().complete(point)) return false;
  bool waits = false;
  {
    LaneState& other = *all_lanes_[point.lane()].load();
    const MutexLock lock(other.mutex);
    if (!other.issued.empty() && other.issued.front().point.sequence() <= point.sequence()) {
      const Issued& behind = is_broken(Mutation::late_event)
                                 ? other.issued.back()
                                 : other.issued[point.sequence() - other.issued.front().point.sequence()];
      if (!is_broken(Mutation::event_wait)) lane.lane.wait(*behind.event);
      lane.clock.merge(*behind.clock);
      if (is_broken(Mutation::clock_entry)) [[unlikely]]
        lane.clock.advance(other.issued.back().point);
      waits_.fetch_add(1, std::memory_order_relaxed);
      waits = true;
    }
  }
  lane.clock.advance(point);
  lane.kept_clock = nullptr;
  return waits;
}

void Launcher::wait_for_everything(LaneState& lane) {
  for (const auto& one : all_lanes_) {
    LaneState* const other = one.load();
    if (other == nullptr || other == &lane || other->device.kind() != device_.device.kind()) continue;
    const MutexLock lock(other->mutex);
    if (!other->issued.empty()) lane.lane.wait(*other->issued.back().event);
  }
}

/// Events, and clocks that nobody keeps, are used again.
void Launcher::take_back(LaneState& lane) {
  {
    const MutexLock lock(lane.mutex);
    lane.released_events.swap(lane.retired_events);
    lane.released_clocks.swap(lane.retired_clocks);
  }
  // The thread that retires has looked at them.
  for (Event* event : lane.released_events) prefetch_for_write(event);
  for (Event* event : lane.released_events) lane.lane.release(event);
  lane.released_events.clear();
  for (std::shared_ptr<Clock>& clock : lane.released_clocks)
    if (clock.use_count() == 1 && lane.spare_clocks.size() < 4 * most_at_once)
      lane.spare_clocks.push_back(std::move(clock));
  lane.released_clocks.clear();
}

void Launcher::keep_clock(LaneState& lane) {
  if (lane.spare_clocks.empty()) {
    lane.kept_clock = std::make_shared<Clock>(lane.clock);
    return;
  }
  lane.kept_clock = std::move(lane.spare_clocks.back());
  lane.spare_clocks.pop_back();
  *lane.kept_clock = lane.clock;
}

void Launcher::issue(Task& task, LaneState& lane, const PointSet& memory_waits) {
  if (lane.last_sequence % most_at_once == 0) take_back(lane);
  if (is_broken(Mutation::one_lane)) [[unlikely]]
    wait_for_everything(lane);
  for_each_point(task, [&](Point point, std::uint64_t flags) { follow(lane, point, hazards_in(flags)); });
  for (const Point point : memory_waits) follow(lane, point, trace::hazards_of(Hazard::block_reuse));
  const Point point(lane.lane.id(), ++lane.last_sequence);
  const std::int64_t traced_from =
      trace::enabled() || lane.keeps_times ? trace_issue(task, lane, memory_waits) : trace::no_time;
  PrefetchBehindIssue behind(task);
  ThreadControl::step();
  if (task.is_replay()) [[unlikely]] {
    LaneReplay& replay = LaneReplay::of(task);
    Event* const behind_nodes = issue_replay(replay, lane, point);
    // Once the last of them is there, the replay may be over.
    const std::span<Task* const> holds = replay.holds();
    pending_.fetch_add(static_cast<int>(holds.size()), std::memory_order_acq_rel);
    append(task, lane, point, behind_nodes, traced_from);
    for (Task* const hold : holds) {
      const Point behind_it(lane.lane.id(), ++lane.last_sequence);
      append(*hold, lane, behind_it, lane.lane.record(), trace::no_time);
    }
    return;
  }
  lane.lane.issue(task, scheduler_);
  behind.go_on();
  Event* const event = lane.lane.record();
  behind.go_on();
  append(task, lane, point, event, traced_from);
}

/// What was issued, with an event behind it, goes among what may retire.
void Launcher::append(Task& task, LaneState& lane, Point point, Event* event, std::int64_t traced_from) {
  lane.clock.advance(point);
  if (lane.kept_clock == nullptr) keep_clock(lane);
  lane.load.fetch_add(1, std::memory_order_relaxed);
  {
    const MutexLock lock(lane.mutex);
    lane.issued.push_back({&task, event, point, lane.kept_clock, traced_from});
    lane.issued.prefetch_next();
  }
  for (std::size_t i = 0; i < task.access_count; ++i) task.buffer(i).keep();
  ThreadControl::step();
  // Successors look for the event from here on. Only then may the task retire, and its slot be used again.
  scheduler_.issued(task, point);
  lane.announced.store(point.sequence(), std::memory_order_release);
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
        if (retire_front(*lane, 1) == 0) yield();
}

}  // namespace stretto
