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

/// The unordered lane of one CPU device: workers that take ready work, oldest first, each from its own ring, from the
/// device's queue, or from one another.
///
/// As many workers take part as the work is worth. Moving a task to another core costs more than a very small task
/// does, so while tasks are of that size and one worker keeps up, the others leave it alone; they step in when tasks
/// are larger, when the backlog is worth it, when it does not move (somebody is inside a long task), or when nobody is
/// awake. A worker that finds nothing polls for some tens of microseconds, slowly so as not to disturb those who work,
/// and then sleeps: waking it costs 40 to 50 microseconds. While others work it looks up now and then; in an idle
/// process all sleep for good.
class WorkerPool final : public WorkerLane {
 public:
  struct Options {
    int workers = 1;
    std::function<void(int)> on_thread_start;  ///< Called by each worker, with its number.
    std::optional<std::uint64_t> random_seed;  ///< Disturbs order and timing, for tests.
  };

  WorkerPool(Executor& executor, Options options);
  ~WorkerPool() override;

  int worker_count() const override { return options_.workers; }
  void start() override;
  void push(Work& work, Priority priority) override;
  void push_copy(Work& work) override;
  void blocking(bool begins) override;
  bool at_rest() override;
  void wake() override;
  bool on_worker() const override;
  KernelContext& current_context() override;
  void stop() override;
  void reset_after_fork() override STRETTO_NO_THREAD_SAFETY_ANALYSIS;

 private:
  struct Worker;
  /// Of one pool, those that wait inside tasks counted in. Beyond, nobody takes the place of who blocks.
  static constexpr int max_threads = 1024;

  void spawn(MutexLock& lock);
  void thread_main(Worker& worker);
  Work* take_first(Worker& worker);
  Work* find_work(Worker& worker);
  Work* steal(Worker& worker);
  void run_copies(Worker& worker);
  void run_chain(Worker& worker, Work* work);
  bool park_if_surplus(Worker& worker);
  void wait_for_work(Worker& worker);
  bool should_take(Worker& worker) const;
  std::size_t backlog() const;
  bool another_polls_first(const Worker& worker) const;
  bool is_stuck(Worker& worker) const;
  bool is_worthwhile() const;
  void let_work_gather(int pauses) const;
  bool tasks_are_small() const;
  void wake_one_if_needed();
  void wake_one();
  void call_next();
  void disturb(Worker& worker);

  static thread_local Worker* current_worker;

  Executor& executor_;
  const Options options_;
  std::array<ReadyQueue, priority_count> queues_;
  ReadyQueue copies_;
  ParallelRegions regions_;

  alignas(64) std::atomic<int> sleepers_{0};             ///< Workers inside the system's sleep.
  std::atomic<int> deep_sleepers_{0};                    ///< Of these, those that do not look up by themselves.
  std::atomic<int> searching_{0};                        ///< Workers that poll or sleep.
  std::atomic<std::uint32_t> wake_count_{0};             ///< Workers sleep on it.
  std::atomic<bool> waking_{false};                      ///< A sleeper was called, and none has come out since.
  std::atomic<std::int64_t> task_nanoseconds_{1000000};  ///< What a task takes, roughly; unknown is long.
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
