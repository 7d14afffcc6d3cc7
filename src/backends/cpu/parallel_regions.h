#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/function_ref.h"
#include "base/mutex.h"

namespace stretto {

/// Loops that idle workers may join. The owner of a loop runs chunks itself and returns when all chunks are done;
/// workers that come by take chunks too. Which worker runs which chunk is left open: chunks depend on shapes alone.
class ParallelRegions {
 public:
  /// Runs `body(0) ... body(chunks - 1)`; rethrows the first exception after the loop has ended. `wake(n)` is asked for
  /// n helpers.
  void run(std::int64_t chunks, FunctionRef<void(std::int64_t)> body, FunctionRef<void(std::int64_t)> wake);

  /// Joins an open loop, if there is one with chunks left. True when it ran any.
  bool help();

  /// How many of those that run a loop wait for the chunks of others, and do nothing else.
  int waiting_owners();

  bool any_open() const { return open_.load(std::memory_order_seq_cst) != 0; }

 private:
  struct Region;
  struct alignas(64) Slot {
    Mutex mutex;
    Region* region STRETTO_GUARDED_BY(mutex) = nullptr;
  };

  std::array<Slot, 64> slots_;
  std::atomic<int> open_{0};
};

}  // namespace stretto
