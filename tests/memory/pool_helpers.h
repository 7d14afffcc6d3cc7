#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "memory/memory_pool.h"

namespace stretto {

inline constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// An in-order lane whose work is done when the test says so.
class TestLane {
 public:
  LaneId id() const { return id_; }
  Point issue() { return {id_, ++issued_}; }
  void finish() { lane_progress().advance({id_, issued_}); }

 private:
  LaneId id_ = next_lane_id();
  std::uint64_t issued_ = 0;
};

inline Block allocate(MemoryPool& pool, std::size_t bytes, LaneId lane = 0) {
  auto block = pool.allocate(bytes, lane);
  if (!block) throw std::bad_alloc();
  return std::move(*block);
}

/// Releases a block that work on `lane` still uses.
inline std::byte* release_busy(MemoryPool& pool, Block block, TestLane& lane) {
  std::byte* const data = block.data;
  block.pending.add(lane.issue());
  pool.release(std::move(block));
  return data;
}

inline bool is_filled_with(std::byte value, const Block& block) {
  return block.data[0] == value && std::memcmp(block.data, block.data + 1, block.bytes - 1) == 0;
}

}  // namespace stretto
