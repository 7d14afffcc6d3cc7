#include "backends/cpu/parallel_regions.h"

#include <exception>

#include "base/thread.h"

namespace stretto {

struct ParallelRegions::Region {
  Region(std::int64_t count, FunctionRef<void(std::int64_t)> function) : chunks(count), body(function) {}

  /// Runs chunks until none is left; true when it ran any.
  bool take_chunks() {
    bool any = false;
    while (true) {
      ThreadControl::step();
      const std::int64_t chunk = next.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= chunks) return any;
      any = true;
      try {
        body(chunk);
      } catch (...) {
        const MutexLock lock(mutex);
        if (!error) error = std::current_exception();
        next.store(chunks, std::memory_order_relaxed);
      }
    }
  }

  const std::int64_t chunks;
  const FunctionRef<void(std::int64_t)> body;
  alignas(64) std::atomic<std::int64_t> next{0};
  alignas(64) std::atomic<int> helpers{0};
  std::atomic<bool> owner_waits{false};
  Mutex mutex;
  std::exception_ptr error;
};

void ParallelRegions::run(std::int64_t chunks, FunctionRef<void(std::int64_t)> body,
                          FunctionRef<void(std::int64_t)> wake) {
  Region region(chunks, body);
  Slot* mine = nullptr;
  for (Slot& slot : slots_) {
    const MutexLock lock(slot.mutex);
    if (slot.region != nullptr) continue;
    slot.region = &region;
    mine = &slot;
    break;
  }
  if (mine != nullptr) {
    open_.fetch_add(1, std::memory_order_seq_cst);
    wake(chunks - 1);
  }
  region.take_chunks();
  if (mine != nullptr) {
    region.owner_waits.store(true, std::memory_order_relaxed);
    open_.fetch_sub(1, std::memory_order_relaxed);
    while (true) {
      // Helpers are inside their last chunk: the wait is at most one chunk long, too short to sleep.
      for (int spins = 0; region.helpers.load(std::memory_order_acquire) != 0; ++spins) {
        if (spins < 1000) {
          pause();
        } else {
          yield();
        }
      }
      const MutexLock lock(mine->mutex);
      // One that saw a chunk left may have joined since.
      if (region.helpers.load(std::memory_order_acquire) != 0) continue;
      mine->region = nullptr;
      break;
    }
  }
  if (region.error) std::rethrow_exception(region.error);
}

bool ParallelRegions::help() {
  if (!any_open()) return false;
  for (Slot& slot : slots_) {
    Region* region = nullptr;
    {
      const MutexLock lock(slot.mutex);
      region = slot.region;
      if (region == nullptr || region->next.load(std::memory_order_relaxed) >= region->chunks) continue;
      region->helpers.fetch_add(1, std::memory_order_relaxed);
    }
    const bool any = region->take_chunks();
    region->helpers.fetch_sub(1, std::memory_order_release);
    if (any) return true;
  }
  return false;
}

int ParallelRegions::waiting_owners() {
  int count = 0;
  for (Slot& slot : slots_) {
    const MutexLock lock(slot.mutex);
    const Region* region = slot.region;
    if (region != nullptr && region->owner_waits.load(std::memory_order_relaxed) &&
        region->helpers.load(std::memory_order_acquire) > 0)
      ++count;
  }
  return count;
}

}  // namespace stretto
