#include "backends/cpu/worker_pool.h"

#include <stretto/base/error.h>

namespace stretto {
namespace {

constexpr std::size_t batch_size = 64;
// A worker that runs one successor after the other looks at the queue this often, so that queued work is not starved.
constexpr int longest_chain = 256;
// Polls before sleeping, each behind `pauses_per_poll` pauses (about 60 ns a pause on recent x86): some 30 microseconds.
constexpr int polls_before_sleep = 8;
constexpr int pauses_per_poll = 64;

}  // namespace

struct WorkerPool::Worker final : KernelContext {
  Worker(WorkerPool& owner, int number)
      : pool(owner), index(number), random(owner.options_.random_seed.value_or(0) * 0x9e3779b97f4a7c15u + number + 1) {}

  void parallel_for(std::int64_t chunks, FunctionRef<void(std::int64_t)> body) override {
    if (chunks <= 1 || pool.options_.workers == 1) {
      for (std::int64_t chunk = 0; chunk < chunks; ++chunk) body(chunk);
      return;
    }
    pool.regions_.run(chunks, body, [this](std::int64_t helpers) {
      for (std::int64_t i = 0; i < helpers && pool.sleepers_.load(std::memory_order_seq_cst) > 0 && i < pool.options_.workers; ++i)
        pool.wake();
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
  WorkRing ring;
  std::thread thread;
};

thread_local WorkerPool::Worker* WorkerPool::current_worker = nullptr;

WorkerPool::WorkerPool(Executor& executor, Options options) : executor_(executor), options_(std::move(options)) {}

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
  if (index == max_threads)
    throw Error("more than " + std::to_string(max_threads) + " tasks of one device wait inside their bodies");
  auto* worker = new Worker(*this, index);
  workers_[index].store(worker, std::memory_order_release);
  thread_count_.store(index + 1, std::memory_order_release);
  running_.fetch_add(1, std::memory_order_relaxed);
  worker->thread = std::thread([this, worker] { thread_main(*worker); });
}

void WorkerPool::push(Work& work, Priority priority) {
  if (!started_.load(std::memory_order_acquire)) [[unlikely]]
    start();
  Worker* worker = current_worker;
  const bool own = worker != nullptr && &worker->pool == this && priority == Priority::normal;
  if (!own || !worker->ring.push(work)) queues_[static_cast<std::size_t>(priority)].push(work);
  wake_one_if_needed();
}

void WorkerPool::wake_one_if_needed() {
  if (sleepers_.load(std::memory_order_seq_cst) > 0 && searching_.load(std::memory_order_seq_cst) == 0) wake();
}

void WorkerPool::wake() {
  if (!started_.load(std::memory_order_acquire)) start();
  wake_count_.fetch_add(1, std::memory_order_seq_cst);
  wake_count_.notify_one();
}

bool WorkerPool::on_worker() const { return current_worker != nullptr && &current_worker->pool == this; }

KernelContext& WorkerPool::current_context() { return *current_worker; }

void WorkerPool::thread_main(Worker& worker) {
  current_worker = &worker;
  if (options_.on_thread_start) options_.on_thread_start();
  while (!stopping_.load(std::memory_order_relaxed)) {
    if (executor_.run_urgent(worker)) continue;
    if (Work* work = find_work(worker)) {
      run_chain(worker, work);
    } else if (!regions_.help() && !park_if_surplus(worker)) {
      wait_for_work();
    }
  }
  current_worker = nullptr;
}

Work* WorkerPool::find_work(Worker& worker) {
  constexpr auto high = static_cast<std::size_t>(Priority::high);
  constexpr auto normal = static_cast<std::size_t>(Priority::normal);
  constexpr auto low = static_cast<std::size_t>(Priority::low);
  // Only normal work enters rings: urgent work must not queue behind it, and low work must stay behind all of it.
  if (!queues_[high].empty())
    if (Work* work = queues_[high].take(worker.ring, 0)) return work;
  if (options_.random_seed && worker.next_random() % 4 == 0)
    if (Work* work = steal(worker)) return work;
  if (Work* work = worker.ring.take()) return work;
  if (Work* work = queues_[normal].take(worker.ring, batch_size)) {
    if (!worker.ring.empty()) wake_one_if_needed();
    return work;
  }
  if (Work* work = steal(worker)) return work;
  if (!queues_[low].empty()) return queues_[low].take(worker.ring, 0);
  return nullptr;
}

Work* WorkerPool::steal(Worker& worker) {
  const int count = thread_count_.load(std::memory_order_acquire);
  for (int i = 1; i < count; ++i) {
    Worker* victim = workers_[(worker.index + i) % count].load(std::memory_order_acquire);
    if (victim == nullptr) continue;
    if (Work* work = victim->ring.take()) return work;
  }
  return nullptr;
}

void WorkerPool::run_chain(Worker& worker, Work* work) {
  ReadyQueue& urgent = queues_[static_cast<std::size_t>(Priority::high)];
  for (int length = 0; work != nullptr; ++length) {
    if (options_.random_seed) disturb(worker);
    work = executor_.run(*work, worker);
    if (work == nullptr) return;
    if (length >= longest_chain || !urgent.empty() || stopping_.load(std::memory_order_relaxed) ||
        (options_.random_seed && worker.next_random() % 2 == 0)) {
      push(executor_.put_back(*work), Priority::normal);
      return;
    }
  }
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
  } else {
    spawn(lock);
  }
}

bool WorkerPool::anything_to_do() const {
  for (const ReadyQueue& queue : queues_)
    if (!queue.empty()) return true;
  const int count = thread_count_.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) {
    const Worker* other = workers_[i].load(std::memory_order_acquire);
    if (other != nullptr && !other->ring.empty()) return true;
  }
  return regions_.any_open() || stopping_.load(std::memory_order_relaxed);
}

void WorkerPool::wait_for_work() {
  executor_.idle();
  const std::uint32_t seen = wake_count_.load(std::memory_order_seq_cst);
  searching_.fetch_add(1, std::memory_order_seq_cst);
  for (int poll = 0; poll < polls_before_sleep; ++poll) {
    for (int pause = 0; pause < pauses_per_poll; ++pause) __builtin_ia32_pause();
    if (anything_to_do() || wake_count_.load(std::memory_order_relaxed) != seen) {
      searching_.fetch_sub(1, std::memory_order_seq_cst);
      return;
    }
  }
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  searching_.fetch_sub(1, std::memory_order_seq_cst);
  // Whoever pushes now sees the sleeper; whoever pushed before is seen here.
  if (!anything_to_do()) wake_count_.wait(seen, std::memory_order_seq_cst);
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
}

void WorkerPool::disturb(Worker& worker) {
  const std::uint64_t dice = worker.next_random();
  if (dice % 16 == 0) std::this_thread::yield();
  if (dice % 64 == 1) std::this_thread::sleep_for(std::chrono::microseconds((dice >> 32) % 50));
}

void WorkerPool::stop() {
  {
    const MutexLock lock(mutex_);
    stopping_.store(true);
    unpark_.notify_all();
  }
  wake_count_.fetch_add(1, std::memory_order_seq_cst);
  wake_count_.notify_all();
  const int count = thread_count_.load();
  for (int i = 0; i < count; ++i) {
    Worker* worker = workers_[i].load();
    if (worker != nullptr && worker->thread.joinable() && worker != current_worker) worker->thread.join();
  }
}

void WorkerPool::reset_after_fork() {
  const int count = thread_count_.load();
  for (int i = 0; i < count; ++i) {
    // The threads do not exist in this process. Their objects are leaked: a std::thread cannot be told so.
    workers_[i].store(nullptr);
  }
  thread_count_ = 0;
  running_ = 0;
  sleepers_ = 0;
  searching_ = 0;
  started_ = false;
  for (ReadyQueue& queue : queues_) queue.reset();
}

}  // namespace stretto
