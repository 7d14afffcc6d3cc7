#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "backend/lane.h"
#include "backends/cpu/parallel_regions.h"
#include "backends/cpu/ready_queue.h"
#include "base/mutex.h"

namespace stretto {

/// The unordered lane of one CPU device: workers that take ready work, oldest first, each from its own ring, from the device's
/// queue, or from one another.
///
/// A worker that finds nothing polls for some microseconds, ever more slowly so as not to disturb those who work, and then
/// sleeps: waking it costs 40 to 50 microseconds, polling costs a core. Whoever adds work wakes a sleeper only when nobody is
/// looking for work already; a woken worker wakes the next when it sees more than it can do.
class WorkerPool final : public WorkerLane {
 public:
  struct Options {
    int workers = 1;
    std::function<void()> on_thread_start;     ///< Binds the thread to the device's cores, sets libraries to one thread.
    std::optional<std::uint64_t> random_seed;  ///< Disturbs order and timing, for tests.
  };

  WorkerPool(Executor& executor, Options options);
  ~WorkerPool() override;

  int worker_count() const override { return options_.workers; }
  void push(Work& work, Priority priority) override;
  void blocking(bool begins) override;
  void wake() override;
  bool on_worker() const override;
  KernelContext& current_context() override;
  void stop() override;
  void reset_after_fork() override;

 private:
  struct Worker;
  static constexpr int max_threads = 1024;

  void start();
  void spawn(MutexLock& lock);
  void thread_main(Worker& worker);
  Work* find_work(Worker& worker);
  Work* steal(Worker& worker);
  void run_chain(Worker& worker, Work* work);
  bool park_if_surplus(Worker& worker);
  void wait_for_work();
  bool anything_to_do() const;
  void wake_one_if_needed();
  void disturb(Worker& worker);

  static thread_local Worker* current_worker;

  Executor& executor_;
  const Options options_;
  std::array<ReadyQueue, priority_count> queues_;
  ParallelRegions regions_;

  alignas(64) std::atomic<int> sleepers_{0};
  std::atomic<int> searching_{0};
  std::atomic<std::uint32_t> wake_count_{0};
  std::atomic<bool> started_{false};
  std::atomic<bool> stopping_{false};

  alignas(64) std::atomic<int> running_{0};  ///< Threads that neither are parked nor block inside a task.
  std::atomic<int> thread_count_{0};
  std::array<std::atomic<Worker*>, max_threads> workers_{};
  Mutex mutex_;
  ConditionVariable unpark_;
  int parked_ STRETTO_GUARDED_BY(mutex_) = 0;
  int unpark_requests_ STRETTO_GUARDED_BY(mutex_) = 0;
};

}  // namespace stretto
