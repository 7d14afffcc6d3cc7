#include "backends/cpu/worker_pool.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <string>
#include <utility>

#include <stretto/base/error.h>

#include "backends/cpu/worker.h"
#include "base/futex.h"
#include "base/log.h"
#include "base/thread.h"

namespace stretto {
namespace {

// Small tasks are claimed by so many. Larger ones singly: whoever takes the oldest keeps to the order of the program,
// in which what one statement allocates the next frees.
constexpr std::size_t batch_size = 64;
// A worker that runs one successor after the other looks at the queue this often, so that queued work is not starved.
constexpr int longest_chain = 256;
// A worker whose last batch of small tasks was shorter than this lets more gather before it looks again, for so many
// pauses (20 to 60 ns each on recent x86).
constexpr int small_batch = 16;
constexpr int pauses_to_gather = 512;
// While a task runs, what it takes to run the one so many behind it in the ring is asked for.
constexpr std::uint64_t look_ahead = 1;
// While tasks are small, one chain in so many is timed.
constexpr unsigned chains_per_sample = 16;

}  // namespace

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
  if (started_.load(std::memory_order_acquire)) return;
  MutexLock lock(mutex_);
  if (started_.load(std::memory_order_relaxed)) return;
  for (int i = 0; i < options_.workers; ++i) {
    try {
      spawn(lock);
    } catch (const Error& error) {
      if (i == 0) throw;
      log(LogLevel::warning, "a CPU device goes on with " + std::to_string(i) + " of its " +
                                 std::to_string(options_.workers) + " workers: " + error.message());
      break;
    }
  }
  started_.store(true, std::memory_order_release);
}

void WorkerPool::spawn(MutexLock&) {
  const int index = thread_count_.load(std::memory_order_relaxed);
  auto made = std::make_unique<Worker>(*this, index);
  running_.fetch_add(1, std::memory_order_relaxed);
  try {
    made->thread = Thread([this, worker = made.get()] { thread_main(*worker); });
  } catch (...) {
    running_.fetch_sub(1, std::memory_order_relaxed);
    throw;
  }
  // From here on the others steal from it.
  workers_[index].store(made.release(), std::memory_order_release);
  thread_count_.store(index + 1, std::memory_order_release);
}

void WorkerPool::push(Work& work, Priority priority) {
  start();
  Worker* worker = current_worker;
  const bool own = worker != nullptr && &worker->pool == this && priority == Priority::normal;
  if (!own || !worker->ring.push(work)) queues_[static_cast<std::size_t>(priority)].push(work);
  ThreadControl::step();
  wake_one_if_needed();
}

void WorkerPool::push_copy(Work& work) {
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
      if (worker.batch > 0 && worker.batch < small_batch && tasks_are_small()) let_work_gather(pauses_to_gather);
      worker.batch = 0;
      // What was found while waiting is not asked again: that nothing moved is only seen over some time.
      if (std::exchange(worker.may_take, false) || should_take(worker)) work = find_work(worker);
    }
    if (work != nullptr) {
      if (std::exchange(worker.calls_next, false)) call_next();
      if (const Work* soon = worker.ring.peek(look_ahead)) executor_.expect(*soon);
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
  worker.calls_next = true;
  constexpr auto normal = static_cast<std::size_t>(Priority::normal);
  constexpr auto low = static_cast<std::size_t>(Priority::low);
  // Only normal work enters rings: urgent work must not queue behind it, and low work must stay behind all of it.
  if (options_.random_seed && worker.next_random() % 4 == 0)
    if (Work* work = steal(worker)) return work;
  if (Work* work = queues_[normal].take(worker.ring, tasks_are_small() ? batch_size : 0)) return work;
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
    try {
      spawn(lock);
    } catch (const Error& error) {
      // Tried again when the wait is looked at again.
      log(LogLevel::warning, std::string("nobody takes the place of a worker that waits: ") + error.message());
    }
  }
}

bool WorkerPool::at_rest() {
  // First the queue: what a worker takes after this look it is seen to have.
  const bool is_queued = backlog() > 0;
  const int running = running_.load(std::memory_order_seq_cst);
  if (is_queued && running > 0) return false;
  return running - searching_.load(std::memory_order_seq_cst) - regions_.waiting_owners() <= 0;
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
  waking_ = false;
  started_ = false;
  for (ReadyQueue& queue : queues_) queue.reset();
  copies_.reset();
}

}  // namespace stretto
