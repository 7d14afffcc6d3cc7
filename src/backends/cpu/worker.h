#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "backends/cpu/work_ring.h"
#include "backends/cpu/worker_pool.h"
#include "base/thread.h"

namespace stretto {

/// One thread of a pool, and what kernels see of it.
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
  /// It searched: whoever pushed work meanwhile may have left it to this worker to find. With the next work it takes,
  /// wherever from, it calls another for what is left.
  bool calls_next = false;
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

}  // namespace stretto
