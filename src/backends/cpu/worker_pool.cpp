#include "backends/cpu/worker_pool.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include <stretto/base/error.h>

#include "base/futex.h"
#include "base/thread.h"

namespace stretto {
namespace {

// Small tasks are claimed by so many. Larger ones singly: whoever takes the oldest keeps to the order of the program,
// in which what one statement allocates the next frees.
constexpr std::size_t batch_size = 64;
// A worker that runs one successor after the other looks at the queue this often, so that queued work is not starved.
constexpr int longest_chain = 256;
// How long a worker polls before it sleeps, and the pauses (20 to 60 ns each on recent x86) between two polls: for
// small tasks the cache lines that a poll takes from whoever pushes work cost more than the wait.
constexpr int pauses_before_sleep = 1536;
constexpr int pauses_per_poll = 32;
constexpr int pauses_per_poll_small = 512;
// A worker whose last batch of small tasks was shorter than this lets more gather before it looks again.
constexpr int small_batch = 16;
// Tasks below this, all overhead included, are small; and small work is worth a second worker from this much on.
constexpr std::int64_t small_task_nanoseconds = 600;
constexpr std::int64_t worthwhile_nanoseconds = 50000;
// Work that waits in front of somebody who began nothing for so long is taken from there.
constexpr std::int64_t stuck_nanoseconds = 50000;
// While tasks are small, one chain in so many is timed.
constexpr unsigned chains_per_sample = 16;
constexpr std::chrono::microseconds first_nap{200};
constexpr std::chrono::microseconds longest_nap{3200};

}  // namespace

struct WorkerPool::Worker final : KernelContext {
  Worker(WorkerPool& owner, int number)
      : pool(owner), index(number), random(owner.options_.random_seed.value_or(0) * 0x9e3779b97f4a7c15u + number + 1) {}

  void parallel_for(std::int64_t chunks, FunctionRef<void(std::int64_t)> body) override {
    if (chunks <= 1 || pool.options_.workers == 1) {
      for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
        pool.run_copies(*this);
        body(chunk);
      }
      return;
    }
    // Whichever worker runs a chunk lets copies go first.
    const auto chunk_behind_copies = [&](std::int64_t chunk) {
      if (current_worker != nullptr) pool.run_copies(*current_worker);
      body(chunk);
    };
    pool.regions_.run(chunks, chunk_behind_copies, [this](std::int64_t helpers) {
      for (std::int64_t i = 0; i < helpers && i < pool.options_.workers; ++i) {
        if (pool.sleepers_.load(std::memory_order_seq_cst) == 0) return;
        pool.wake();
      }
    });
  }

  std::uint64_t next_random() {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return random;
  }

  WorkerPool& pool;
  const int index;
  std::uint64_t random;
  bool searching = false;
  bool may_take = false;  ///< `should_take` has said so, and nothing was taken since.
  bool inside_copy = false;
  int batch = 0;  ///< Tasks since this worker last looked at shared queues.
  unsigned chains = 0;
  std::int64_t last_sample = 0;  ///< Nanoseconds a task of the chain timed last.
  WorkRing ring;
  Thread thread;
  /// What the others had executed when this worker last looked, and when that was; see `is_stuck`.
  static constexpr std::size_t seen_capacity = 8;
  std::array<std::uint64_t, seen_capacity> seen_executed{};
  std::int64_t seen_at = 0;  ///< 0 where no work waited.
  // Read by the others.
  alignas(64) std::atomic<std::uint64_t> executed{0};  ///< Pieces of work begun.
  std::atomic<bool> polling{false};
};

thread_local WorkerPool::Worker* WorkerPool::current_worker = nullptr;

WorkerPool::WorkerPool(Executor& executor, Options options)
    : executor_(executor), options_([&] {
        options.workers = std::min(options.workers, max_threads);
        return std::move(options);
      }()) {}

WorkerPool::~WorkerPool() {
  stop();
  for (auto& slot : workers_) delete slot.load();
}

void WorkerPool::start() {
  MutexLock lock(mutex_);
  if (started_.load(std::memory_order_relaxed)) return;
  for (int i = 0; i < options_.workers; ++i) spawn(lock);
  started_.store(true, std::memory_order_release);
}

void WorkerPool::spawn(MutexLock&) {
  const int index = thread_count_.load(std::memory_order_relaxed);
  auto* worker = new Worker(*this, index);
  workers_[index].store(worker, std::memory_order_release);
  thread_count_.store(index + 1, std::memory_order_release);
  running_.fetch_add(1, std::memory_order_relaxed);
  worker->thread = Thread([this, worker] { thread_main(*worker); });
}

void WorkerPool::push(Work& work, Priority priority) {
  if (!started_.load(std::memory_order_acquire)) [[unlikely]]
    start();
  Worker* worker = current_worker;
  const bool own = worker != nullptr && &worker->pool == this && priority == Priority::normal;
  if (!own || !worker->ring.push(work)) queues_[static_cast<std::size_t>(priority)].push(work);
  ThreadControl::step();
  wake_one_if_needed();
}

void WorkerPool::push_copy(Work& work) {
  if (!started_.load(std::memory_order_acquire)) [[unlikely]]
    start();
  copies_.push(work);
  ThreadControl::step();
  wake_one_if_needed();
}

void WorkerPool::run_copies(Worker& worker) {
  // A copy is a loop itself: it does not begin another.
  if (worker.inside_copy || copies_.empty()) return;
  worker.inside_copy = true;
  while (Work* work = copies_.take(worker.ring, 0))
    if (Work* next = executor_.run(*work, worker)) push(executor_.put_back(*next), Priority::normal);
  worker.inside_copy = false;
}

void WorkerPool::wake_one_if_needed() {
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
  const int idle = searching_.load(std::memory_order_seq_cst);
  const int sleeping = sleepers_.load(std::memory_order_seq_cst);
  if (idle > sleeping) return;  // Somebody polls, and will see the work.
  // Who sleeps for good is woken even for little work: somebody must look up now and then, for what waits behind a task
  // that turns out long.
  if (deep_sleepers_.load(std::memory_order_seq_cst) > 0 || is_worthwhile(backlog())) wake();
}

bool WorkerPool::tasks_are_small() const {
  return task_nanoseconds_.load(std::memory_order_relaxed) < small_task_nanoseconds;
}

bool WorkerPool::is_worthwhile(std::size_t ready) const {
  const std::int64_t each = task_nanoseconds_.load(std::memory_order_relaxed);
  if (ready == 0) return false;
  if (each >= small_task_nanoseconds) return true;
  // Small tasks keep a worker and whoever submits them busy: on a machine with no core beside these, a second worker is
  // in the way, also while the submitter waits: what it takes costs both more than it saves.
  const int working = running_.load(std::memory_order_relaxed) - searching_.load(std::memory_order_relaxed);
  return working + 1 < options_.workers && static_cast<std::int64_t>(ready) * each > worthwhile_nanoseconds;
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

bool WorkerPool::on_worker() const { return current_worker != nullptr && &current_worker->pool == this; }

KernelContext& WorkerPool::current_context() { return *current_worker; }

void WorkerPool::thread_main(Worker& worker) {
  current_worker = &worker;
  if (options_.on_thread_start) options_.on_thread_start(worker.index);
  while (!stopping_.load(std::memory_order_relaxed)) {
    if (executor_.run_urgent(worker)) continue;
    Work* work = take_first(worker);
    if (work == nullptr) work = worker.ring.take();
    if (work == nullptr) {
      if (worker.batch > 0 && worker.batch < small_batch && tasks_are_small()) let_work_gather(pauses_per_poll_small);
      worker.batch = 0;
      // What was found while waiting is not asked again: that nothing moved is only seen over some time.
      if (std::exchange(worker.may_take, false) || should_take(worker)) work = find_work(worker);
    }
    if (work != nullptr) {
      run_chain(worker, work);
    } else if (!regions_.help() && !park_if_surplus(worker)) {
      wait_for_work(worker);
    }
  }
  current_worker = nullptr;
}

/// What comes before all that this worker has in its ring.
Work* WorkerPool::take_first(Worker& worker) {
  if (Work* work = copies_.take(worker.ring, 0)) return work;
  return queues_[static_cast<std::size_t>(Priority::high)].take(worker.ring, 0);
}

Work* WorkerPool::find_work(Worker& worker) {
  constexpr auto normal = static_cast<std::size_t>(Priority::normal);
  constexpr auto low = static_cast<std::size_t>(Priority::low);
  // Only normal work enters rings: urgent work must not queue behind it, and low work must stay behind all of it.
  if (options_.random_seed && worker.next_random() % 4 == 0)
    if (Work* work = steal(worker)) return work;
  if (Work* work = queues_[normal].take(worker.ring, tasks_are_small() ? batch_size : 0)) {
    if (!worker.ring.empty() || !queues_[normal].empty()) {
      if (deep_sleepers_.load(std::memory_order_relaxed) > 0) {
        wake();
      } else {
        wake_one_if_needed();
      }
    }
    return work;
  }
  if (Work* work = steal(worker)) return work;
  return queues_[low].take(worker.ring, 0);
}

Work* WorkerPool::steal(Worker& worker) {
  const int count = thread_count_.load(std::memory_order_acquire);
  for (int i = 1; i < count; ++i) {
    Worker* victim = workers_[(worker.index + i) % count].load(std::memory_order_acquire);
    if (victim == nullptr) continue;
    ThreadControl::step();
    if (Work* work = victim->ring.take()) return work;
  }
  return nullptr;
}

void WorkerPool::run_chain(Worker& worker, Work* work) {
  const ReadyQueue& urgent = queues_[static_cast<std::size_t>(Priority::high)];
  const bool timed = !tasks_are_small() || ++worker.chains % chains_per_sample == 0;
  const std::int64_t begin = timed ? nanoseconds_now() : 0;
  int length = 0;
  while (work != nullptr) {
    if (options_.random_seed) disturb(worker);
    worker.executed.store(worker.executed.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    ThreadControl::step();
    work = executor_.run(*work, worker);
    ++length;
    if (work != nullptr && (length >= longest_chain || !urgent.empty() || stopping_.load(std::memory_order_relaxed) ||
                            (options_.random_seed && worker.next_random() % 2 == 0))) {
      push(executor_.put_back(*work), Priority::normal);
      break;
    }
  }
  worker.batch += length;
  if (!timed) return;
  const std::int64_t sample = (nanoseconds_now() - begin) / length;
  // Long tasks are believed when there are two of them: one may have lost its core. Short ones are believed by and by.
  const std::int64_t known = task_nanoseconds_.load(std::memory_order_relaxed);
  const std::int64_t estimate =
      std::max(std::min(sample, worker.last_sample), known - known / 4 + std::min(sample, known) / 4);
  worker.last_sample = sample;
  if (estimate != known) task_nanoseconds_.store(estimate, std::memory_order_relaxed);
}

bool WorkerPool::park_if_surplus(Worker& worker) {
  if (running_.load(std::memory_order_relaxed) <= options_.workers || !worker.ring.empty()) return false;
  MutexLock lock(mutex_);
  if (running_.load(std::memory_order_relaxed) <= options_.workers) return false;
  running_.fetch_sub(1, std::memory_order_relaxed);
  ++parked_;
  while (unpark_requests_ == 0 && !stopping_.load(std::memory_order_relaxed)) unpark_.wait(lock);
  if (unpark_requests_ > 0) --unpark_requests_;
  --parked_;
  return true;
}

void WorkerPool::blocking(bool begins) {
  MutexLock lock(mutex_);
  if (!begins) {
    running_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const int running = running_.fetch_sub(1, std::memory_order_relaxed) - 1;
  if (running >= options_.workers) return;
  if (parked_ > unpark_requests_) {
    ++unpark_requests_;
    running_.fetch_add(1, std::memory_order_relaxed);
    unpark_.notify_one();
  } else if (thread_count_.load(std::memory_order_relaxed) < max_threads) {
    spawn(lock);
  }
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
  bool stuck = false;
  bool any_moved = false;
  const int count = thread_count_.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) {
    const Worker* other = workers_[i].load(std::memory_order_acquire);
    if (other == nullptr || other == &worker) continue;
    const auto at = std::min<std::size_t>(i, Worker::seen_capacity - 1);
    executed[at] += other->executed.load(std::memory_order_relaxed) + 1;
    const bool moved = executed[at] != worker.seen_executed[at];
    any_moved |= moved;
    stuck |= !moved && !other->ring.empty();
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
  return is_worthwhile(ready) || is_stuck(worker);
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
    ThreadControl::step();
    if (!called()) {
      if (others_awake || backlog() > 0) {
        futex_wait(wake_count_, seen, nap);
      } else {
        futex_wait(wake_count_, seen);
      }
    }
    if (!others_awake) deep_sleepers_.fetch_sub(1, std::memory_order_relaxed);
    sleepers_.fetch_sub(1, std::memory_order_seq_cst);
    nap = std::min(nap * 2, longest_nap);
    found = called();
  }
  searching_.fetch_sub(1, std::memory_order_seq_cst);
  worker.searching = false;
}

void WorkerPool::disturb(Worker& worker) {
  const std::uint64_t dice = worker.next_random();
  if (dice % 16 == 0) yield();
  if (dice % 64 == 1) sleep_for(std::chrono::microseconds((dice >> 32) % 50));
}

void WorkerPool::stop() {
  {
    const MutexLock lock(mutex_);
    stopping_.store(true);
    unpark_.notify_all();
  }
  wake_count_.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(wake_count_, max_threads);
  const int count = thread_count_.load();
  for (int i = 0; i < count; ++i) {
    Worker* worker = workers_[i].load();
    if (worker != nullptr && worker->thread.joinable() && worker != current_worker) worker->thread.join();
  }
}

void WorkerPool::reset_after_fork() {
  const int count = thread_count_.load();
  for (int i = 0; i < count; ++i) {
    // The threads do not exist in this process. Their objects are leaked: a thread cannot be told so.
    workers_[i].store(nullptr);
  }
  if (current_worker != nullptr && &current_worker->pool == this) current_worker = nullptr;
  // Those threads may have held locks, and loops of theirs are open for ever.
  new (&mutex_) Mutex;
  new (&unpark_) ConditionVariable;
  new (&regions_) ParallelRegions;
  parked_ = 0;
  unpark_requests_ = 0;
  thread_count_ = 0;
  running_ = 0;
  sleepers_ = 0;
  deep_sleepers_ = 0;
  searching_ = 0;
  started_ = false;
  for (ReadyQueue& queue : queues_) queue.reset();
  copies_.reset();
}

}  // namespace stretto
