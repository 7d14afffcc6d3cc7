#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/replay.h"

namespace stretto {

/// A replay on the workers of a CPU device. Nodes are run by *runners*: tasks that run nodes as they become ready, as
/// many as there are workers and work for them. One more task ends when all of that is over.
class WorkerReplay final : public Replay {
 public:
  WorkerReplay(Scheduler& scheduler, std::shared_ptr<const Template> replayed);

  void block(bool begins) override;

 private:
  /// Each node comes once.
  struct Queue {
    std::vector<std::uint32_t> nodes;
    std::uint32_t head = 0;
    std::uint32_t tail = 0;
  };

  // Replay.
  void reset() override;
  void begin(Task& task, BodyContext* context) override;
  void open(std::uint32_t port) override;
  bool is_inside(const ThreadState& thread, const std::vector<bool>& nodes) override;

  void close(std::uint32_t port);
  bool arrive(std::uint32_t node) {
    std::atomic<std::uint32_t>& awaited = awaited_[node];
    // See arrive(Task&).
    if (awaited.load(std::memory_order_acquire) == 1) return true;
    return awaited.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  void push(std::span<const std::uint32_t> nodes);
  void put(std::span<const std::uint32_t> nodes) STRETTO_REQUIRES(queue_lock_);
  std::uint32_t take() STRETTO_REQUIRES(queue_lock_);
  bool wants_runner() const STRETTO_REQUIRES(queue_lock_);
  void summon();
  void drain(Task& task, BodyContext* context, bool was_called);
  std::uint32_t run_node(Runner& runner, BodyContext* context, std::uint32_t node);
  void leave(std::int64_t count);

  const int most_runners_;
  const bool one_priority_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> awaited_;  ///< How often somebody still arrives at each node.

  alignas(64) std::atomic<std::int64_t> remaining_{0};  ///< Nodes, ports, runners.

  alignas(64) SpinLock queue_lock_;
  std::array<Queue, 3> queues_ STRETTO_GUARDED_BY(queue_lock_);  ///< Nodes that are ready, by priority.
  std::uint32_t queued_ STRETTO_GUARDED_BY(queue_lock_) = 0;     ///< In all of them.
  int runners_ STRETTO_GUARDED_BY(queue_lock_) = 0;              ///< Those that were called included.
  int blocked_ STRETTO_GUARDED_BY(queue_lock_) = 0;              ///< Of these.
  bool called_ STRETTO_GUARDED_BY(queue_lock_) = false;          ///< One was, and has not come yet.
  Runner* first_runner_ STRETTO_GUARDED_BY(queue_lock_) = nullptr;
};

}  // namespace stretto
