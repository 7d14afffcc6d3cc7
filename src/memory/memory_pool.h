#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "base/mutex.h"
#include "memory/size_class.h"
#include "memory/spin_lock.h"
#include "ordering/point_set.h"

namespace stretto {

/// What a pool got from its source in one piece.
struct MemorySlab {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::size_t index = 0;  ///< Its place in the pool's list.
};

/// A piece of a device's memory, 64-byte aligned. Owned by whoever got it from `MemoryPool::allocate`, until `release`;
/// moved, never shared.
struct Block {
  std::byte* data = nullptr;
  std::size_t bytes = 0;  ///< Capacity, at least what was asked for and at least 1.
  PointSet pending;  ///< Work of earlier owners that may not be done: the next owner waits for it before it writes.
  MemorySlab* slab = nullptr;  ///< The pool's own.
};

/// Bytes, as `memory_stats(device)` reports them.
struct MemoryStatistics {
  std::size_t live = 0;      ///< In blocks that somebody owns.
  std::size_t peak = 0;      ///< The largest `live` since the last `reset_peak`.
  std::size_t reserved = 0;  ///< Taken from the device: live and cached. Never above the limit.
  std::uint64_t allocations = 0;
  std::uint64_t source_allocations = 0;  ///< Allocations that had to ask the device.
};

/// Hands out blocks of one device's memory and keeps those that come back, together with the work that may still use
/// them. A block that comes back is reused at once, in an order of its own: nobody waits for the device.
///
/// All calls may come from any thread and none waits for a task. Taking and giving back a block that is cached costs
/// tens of nanoseconds.
class MemoryPool {
 public:
  /// Takes at most `limit` bytes from `source`, 0 for all that it can hold. With `poison`, a block whose pending work
  /// is done is filled with 0xFF, a NaN in every type of float, before it is handed out: only for memory that the host
  /// can write. `source` must outlive the pool.
  MemoryPool(MemorySource& source, std::size_t limit, bool poison);
  /// Gives everything back to the source, blocks that are still owned included.
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// A block of at least `bytes`, its contents undefined. `lane` is the in-order lane that will use it first; 0 is a
  /// CPU worker, which would have to wait for pending work. In order of preference: a cached block whose pending work
  /// is done; one whose pending work is all on `lane`; memory that nobody used yet, as long as the limit allows; any
  /// cached block of the size; memory regained by giving back, joining and splitting cached blocks of other sizes.
  ///
  /// Empty when nothing of all that fits. It may fit later, when pending work is done or blocks are released. No bytes
  /// give the smallest block, distinct from every other.
  std::optional<Block> allocate(std::size_t bytes, LaneId lane);

  /// Whether blocks that begin there and have so many bytes are cached: where a shelf is long only its ends are looked
  /// through. Whoever is given one next may be somebody else.
  struct Place {
    std::byte* data;
    std::size_t bytes;
  };
  bool has_all(std::span<const Place> places) const;
  /// One of them, as `allocate` returns it. Empty where it is not there.
  std::optional<Block> allocate_at(Place place);

  /// Takes a block back. `block.pending` holds all the work that may still use it: its next owner inherits that.
  void release(Block block);

  MemoryStatistics statistics() const;
  /// Bytes that could still be allocated if all of what is cached could be put together.
  std::size_t available() const;
  /// The peak starts again from what is live now.
  void reset_peak();

  /// Gives cached memory whose pending work is done back to the source, and returns how many bytes that were.
  std::size_t trim();

  /// Around a fork: the pool is whole while its locks are held. The two calls are made by one thread, the second also
  /// in the child.
  void lock_for_fork() STRETTO_NO_THREAD_SAFETY_ANALYSIS {
    growth_.lock();
    lock_.lock();
  }
  void unlock_after_fork() STRETTO_NO_THREAD_SAFETY_ANALYSIS {
    lock_.unlock();
    growth_.unlock();
  }

  /// Bytes that the pool takes from the source at most.
  std::size_t limit() const { return limit_; }

 private:
  /// Memory that nobody owns and no work uses.
  struct Piece {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    MemorySlab* slab = nullptr;
  };
  /// The cached blocks of one size class.
  struct Shelf {
    std::vector<Piece> settled;
    std::deque<Block> pending;  ///< Oldest first: the likeliest to be settled.
  };

  static constexpr std::size_t largest_shelved_bytes = std::size_t{4} << 20;
  static constexpr std::size_t shelf_count = size_class_of(largest_shelved_bytes) + 1;

  std::optional<Block> allocate_slowly(std::size_t bytes, LaneId lane) STRETTO_EXCLUDES(lock_);
  std::optional<Block> take_preferred(std::size_t bytes, LaneId lane) STRETTO_REQUIRES(lock_);
  std::optional<Block> take_from_shelf(Shelf& shelf, LaneId lane) STRETTO_REQUIRES(lock_);
  /// Where a cached block is: in a shelf's list, or among those without a shelf.
  struct Found {
    std::size_t size_class = shelf_count;
    bool is_settled = false;
    std::size_t index = 0;
    std::multimap<std::size_t, Block>::const_iterator unshelved;
  };
  std::optional<Found> find(Place place) const STRETTO_REQUIRES(lock_);
  std::optional<Block> take_unshelved(std::size_t bytes, LaneId lane) STRETTO_REQUIRES(lock_);
  std::optional<Block> take_unsettled(std::size_t bytes) STRETTO_REQUIRES(lock_);
  std::optional<Block> carve(std::size_t bytes) STRETTO_REQUIRES(lock_);
  std::optional<Block> split_unsettled(std::size_t bytes) STRETTO_REQUIRES(lock_);
  std::optional<Block> grow(std::size_t bytes) STRETTO_REQUIRES(growth_) STRETTO_EXCLUDES(lock_);
  MemorySlab* add_slab(std::size_t bytes) STRETTO_REQUIRES(growth_) STRETTO_EXCLUDES(lock_);
  std::size_t give_back(std::size_t wanted) STRETTO_REQUIRES(growth_) STRETTO_EXCLUDES(lock_);
  void join_settled() STRETTO_REQUIRES(lock_);
  void file(Block block) STRETTO_REQUIRES(lock_);
  void file_piece(const Piece& piece) STRETTO_REQUIRES(lock_);
  Block own(Block block) STRETTO_REQUIRES(lock_);
  Block own_front(Piece& piece, std::size_t bytes) STRETTO_REQUIRES(lock_);
  bool above_soft_limit(std::size_t bytes) const STRETTO_REQUIRES(lock_);
  std::size_t preferred_bytes(std::size_t bytes) const;

  MemorySource& source_;
  const std::size_t limit_;
  const bool poison_;

  Mutex growth_ STRETTO_ACQUIRED_BEFORE(lock_);  ///< One thread at a time asks the source; it may be slow.
  mutable SpinLock lock_;
  std::array<Shelf, shelf_count> shelves_ STRETTO_GUARDED_BY(lock_);
  /// Cached blocks that fit no shelf: large ones, and those cut to measure near the limit.
  std::multimap<std::size_t, Block> unshelved_ STRETTO_GUARDED_BY(lock_);
  /// Memory that belongs to no size yet, by bytes: rests of slabs, and cached blocks that were joined.
  std::multimap<std::size_t, Piece> pieces_ STRETTO_GUARDED_BY(lock_);
  std::vector<std::unique_ptr<MemorySlab>> slabs_ STRETTO_GUARDED_BY(lock_);
  MemoryStatistics statistics_ STRETTO_GUARDED_BY(lock_);
  std::size_t highest_live_ STRETTO_GUARDED_BY(lock_) = 0;
};

}  // namespace stretto
