// When workers look for work, when they sleep, and who wakes them.

#include <algorithm>
#include <chrono>

#include "backends/cpu/worker.h"
#include "backends/cpu/worker_pool.h"
#include "base/futex.h"
#include "base/thread.h"

namespace stretto {
namespace {

// How long a worker polls before it sleeps, and the pauses (20 to 60 ns each on recent x86) between two polls: for
// small tasks the cache lines that a poll takes from whoever pushes work cost more than the wait.
constexpr int pauses_before_sleep = 1536;
constexpr int pauses_per_poll = 32;
constexpr int pauses_per_poll_small = 512;
// Tasks below this, all overhead included, are small; and small work is worth a second worker from this much on.
constexpr std::int64_t small_task_nanoseconds = 600;
constexpr std::int64_t worthwhile_nanoseconds = 50000;
// Work that waits in front of somebody who began nothing for so long is taken from there.
constexpr std::int64_t stuck_nanoseconds = 50000;
constexpr std::chrono::microseconds first_nap{200};
constexpr std::chrono::microseconds longest_nap{3200};

}  // namespace

void WorkerPool::wake_one_if_needed() {
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
  const int idle = searching_.load(std::memory_order_seq_cst);
  const int sleeping = sleepers_.load(std::memory_order_seq_cst);
  if (idle > sleeping) return;  // Somebody polls, and will see the work.
  // Who sleeps for good is woken even for little work: somebody must look up now and then, for what waits behind a task
  // that turns out long.
  if (deep_sleepers_.load(std::memory_order_seq_cst) > 0 || is_worthwhile()) wake_one();
}

void WorkerPool::wake_one() {
  // A sleeper that was called and has not come out yet, as on a busy machine, looks at all work when it does: calling
  // once more for each piece of it costs more than a small task.
  if (waking_.load(std::memory_order_seq_cst) || waking_.exchange(true, std::memory_order_seq_cst)) return;
  wake();
}

void WorkerPool::call_next() {
  if (sleepers_.load(std::memory_order_seq_cst) == 0 || backlog() == 0) return;
  if (deep_sleepers_.load(std::memory_order_seq_cst) > 0) {
    wake_one();
  } else {
    wake_one_if_needed();
  }
}

bool WorkerPool::tasks_are_small() const {
  return task_nanoseconds_.load(std::memory_order_relaxed) < small_task_nanoseconds;
}

bool WorkerPool::is_worthwhile() const {
  const std::int64_t each = task_nanoseconds_.load(std::memory_order_relaxed);
  if (each >= small_task_nanoseconds) return backlog() > 0;
  // Small tasks keep a worker and whoever submits them busy: on a machine with no core beside these, a second worker is
  // in the way, also while the submitter waits: what it takes costs both more than it saves. The backlog is looked at
  // last: its lines are those of all workers.
  const int working = running_.load(std::memory_order_relaxed) - searching_.load(std::memory_order_relaxed);
  return working + 1 < options_.workers && static_cast<std::int64_t>(backlog()) * each > worthwhile_nanoseconds;
}

void WorkerPool::let_work_gather(int pauses) const {
  for (int paused = 0; paused < pauses; ++paused) {
    if (paused % 32 == 0 && (options_.random_seed || executor_.awaited())) return;
    pause();
  }
}

void WorkerPool::wake() {
  if (!started_.load(std::memory_order_acquire)) start();
  wake_count_.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(wake_count_);
}

std::size_t WorkerPool::backlog() const {
  std::size_t sum = copies_.size();
  for (const ReadyQueue& queue : queues_) sum += queue.size();
  const int count = thread_count_.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) {
    const Worker* other = workers_[i].load(std::memory_order_acquire);
    if (other != nullptr) sum += other->ring.size();
  }
  return sum;
}

bool WorkerPool::is_stuck(Worker& worker) const {
  // Compared with what this worker saw when it looked last, long enough ago for a small task to end in between, and
  // work has waited since.
  const std::int64_t time = nanoseconds_now();
  const bool first_look = worker.seen_at == 0;
  if (!first_look && time - worker.seen_at < stuck_nanoseconds) return false;
  worker.seen_at = time;
  // Threads beyond the table are blocked in tasks or stand in for such; they are looked at by sum.
  std::array<std::uint64_t, Worker::seen_capacity> executed{};
  std::array<bool, Worker::seen_capacity> has_work{};
  const int count = thread_count_.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) {
    const Worker* other = workers_[i].load(std::memory_order_acquire);
    if (other == nullptr || other == &worker) continue;
    const auto at = std::min<std::size_t>(i, Worker::seen_capacity - 1);
    executed[at] += other->executed.load(std::memory_order_relaxed) + 1;
    has_work[at] |= !other->ring.empty();
  }
  bool stuck = false;
  bool any_moved = false;
  for (std::size_t at = 0; at < Worker::seen_capacity; ++at) {
    const bool moved = executed[at] != worker.seen_executed[at];
    any_moved |= moved;
    stuck |= !moved && has_work[at];
  }
  worker.seen_executed = executed;
  return !first_look && (stuck || !any_moved);
}

bool WorkerPool::another_polls_first(const Worker& worker) const {
  for (int i = 0; i < worker.index; ++i) {
    const Worker* other = workers_[i].load(std::memory_order_acquire);
    if (other != nullptr && other->polling.load(std::memory_order_seq_cst)) return true;
  }
  return false;
}

bool WorkerPool::should_take(Worker& worker) const {
  const std::size_t ready = backlog();
  if (ready == 0) {
    worker.seen_at = 0;
    return false;
  }
  if (options_.random_seed || !queues_[static_cast<std::size_t>(Priority::high)].empty() || !copies_.empty())
    return true;
  // Who asks is awake; who searches or sleeps does no work, but of those who search the first is about to see it.
  const int working_others = running_.load(std::memory_order_relaxed) - searching_.load(std::memory_order_relaxed) -
                             (worker.searching ? 0 : 1);
  if (working_others <= 0 && !(tasks_are_small() && another_polls_first(worker))) return true;
  return is_worthwhile() || is_stuck(worker);
}

void WorkerPool::wait_for_work(Worker& worker) {
  executor_.idle();
  const std::uint32_t seen = wake_count_.load(std::memory_order_seq_cst);
  const auto called = [&] {
    if (wake_count_.load(std::memory_order_seq_cst) != seen || regions_.any_open() ||
        stopping_.load(std::memory_order_relaxed))
      return true;
    worker.may_take = should_take(worker);
    return worker.may_take;
  };
  worker.searching = true;
  searching_.fetch_add(1, std::memory_order_seq_cst);
  bool found = false;
  const int step = tasks_are_small() && !executor_.awaited() ? pauses_per_poll_small : pauses_per_poll;
  worker.polling.store(true, std::memory_order_seq_cst);
  for (int paused = 0; paused < pauses_before_sleep && !found; paused += step) {
    pause(pauses_per_poll);
    let_work_gather(step - pauses_per_poll);
    found = called();
  }
  worker.polling.store(false, std::memory_order_seq_cst);
  std::chrono::microseconds nap = first_nap;
  while (!found) {
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    const bool others_awake = running_.load(std::memory_order_relaxed) > sleepers_.load(std::memory_order_seq_cst);
    // Whoever pushes from here on sees the sleeper, and how it sleeps; whoever pushed before is seen here.
    if (!others_awake) deep_sleepers_.fetch_add(1, std::memory_order_seq_cst);
    // Also before the sleep: whoever set it while nobody slept has nobody to take it back.
    waking_.store(false, std::memory_order_seq_cst);
    ThreadControl::step();
    if (!called()) {
      if (others_awake || backlog() > 0) {
        futex_wait(wake_count_, seen, nap);
      } else {
        futex_wait(wake_count_, seen);
      }
    }
    waking_.store(false, std::memory_order_seq_cst);
    if (!others_awake) deep_sleepers_.fetch_sub(1, std::memory_order_relaxed);
    sleepers_.fetch_sub(1, std::memory_order_seq_cst);
    nap = std::min(nap * 2, longest_nap);
    found = called();
  }
  searching_.fetch_sub(1, std::memory_order_seq_cst);
  worker.searching = false;
  worker.calls_next = true;
}

}  // namespace stretto
