#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "memory/counting_source.h"
#include "memory/memory_pool.h"
#include "memory/pool_helpers.h"

namespace stretto {
namespace {

/// Random sizes against a model: every owned block keeps the bytes its owner wrote, and the numbers add up.
TEST(MemoryPool, RandomSizesAgainstAModel) {
  struct Owned {
    Block block;
    std::byte mark;
  };
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    CountingSource source(8 * mebibyte);
    MemoryPool pool(source, 0, seed % 2 == 0);
    std::vector<TestLane> lanes(3);
    std::vector<Owned> owned;
    std::size_t live = 0;
    std::size_t peak = 0;
    std::size_t refused = 0;
    for (int step = 0; step < 10'000; ++step) {
      const auto choice = random() % 100;
      if (choice < 52) {
        const std::size_t bytes = random() % (std::size_t{1} << (random() % 21));
        TestLane& lane = lanes[random() % lanes.size()];
        auto block = pool.allocate(bytes, choice < 20 ? LaneId{0} : lane.id());
        if (!block) {
          ++refused;
          continue;
        }
        ASSERT_GE(block->bytes, std::max(bytes, std::size_t{1}));
        const auto mark = static_cast<std::byte>(step);
        std::memset(block->data, static_cast<int>(mark), block->bytes);
        block->pending.clear();
        live += block->bytes;
        peak = std::max(peak, live);
        owned.push_back({std::move(*block), mark});
      } else if (choice < 98 && !owned.empty()) {
        std::swap(owned[random() % owned.size()], owned.back());
        Owned last = std::move(owned.back());
        owned.pop_back();
        ASSERT_TRUE(is_filled_with(last.mark, last.block)) << "step " << step;
        live -= last.block.bytes;
        if (random() % 2 == 0) last.block.pending.add(lanes[random() % lanes.size()].issue());
        pool.release(std::move(last.block));
      } else if (choice == 98) {
        lanes[random() % lanes.size()].finish();
      } else if (random() % 10 == 0) {
        pool.trim();
      }
      const MemoryStatistics statistics = pool.statistics();
      ASSERT_EQ(statistics.live, live);
      ASSERT_EQ(statistics.peak, peak);
      ASSERT_EQ(statistics.reserved, source.outstanding());
      ASSERT_LE(statistics.live, statistics.reserved);
      ASSERT_LE(statistics.reserved, pool.limit());
    }
    EXPECT_GT(refused, 0U) << "the limit was never reached";
    EXPECT_GT(peak, pool.limit() / 2) << "too much was lost to fragmentation";
    for (Owned& each : owned) pool.release(std::move(each.block));
    for (TestLane& lane : lanes) lane.finish();
    pool.trim();
    EXPECT_EQ(source.outstanding(), 0U);
    EXPECT_EQ(source.mismatches(), 0);
  }
}

/// Blocks taken by some threads and given back by others, at the limit now and then, with trims between.
TEST(MemoryPool, ManyThreadsShareAPool) {
  constexpr int pairs = 3;
  constexpr int rounds = 4000;
  CountingSource source(4 * mebibyte);
  MemoryPool pool(source, 0, false);
  std::vector<Mutex> mutexes(pairs);
  std::vector<std::vector<Block>> handed(pairs);
  std::vector<std::jthread> threads;
  std::atomic<int> damaged = 0;
  std::atomic<int> served = 0;
  std::atomic<int> producing = pairs;
  for (int pair = 0; pair < pairs; ++pair) {
    threads.emplace_back([&, pair] {
      std::mt19937 random(static_cast<unsigned>(pair));
      for (int round = 0; round < rounds; ++round) {
        auto block = pool.allocate(random() % (1U << (random() % 17)), 0);
        if (!block) {
          std::this_thread::yield();
          continue;
        }
        ++served;
        std::memset(block->data, pair, block->bytes);
        const MutexLock lock(mutexes[pair]);
        handed[pair].push_back(std::move(*block));
      }
      --producing;
    });
    threads.emplace_back([&, pair] {
      for (int round = 0; producing > 0; ++round) {
        std::vector<Block> taken;
        {
          const MutexLock lock(mutexes[pair]);
          taken.swap(handed[pair]);
        }
        for (Block& block : taken) {
          if (block.data[0] != std::byte(pair) || block.data[block.bytes - 1] != std::byte(pair)) ++damaged;
          pool.release(std::move(block));
        }
        if (round % 500 == 0) pool.trim();
        if (pool.statistics().reserved > pool.limit()) ++damaged;
      }
    });
  }
  threads.clear();
  for (auto& blocks : handed)
    for (Block& block : blocks) pool.release(std::move(block));
  EXPECT_EQ(damaged, 0);
  EXPECT_GT(served, 0);
  EXPECT_EQ(pool.statistics().live, 0U);
  EXPECT_EQ(pool.statistics().reserved, source.outstanding());
  pool.trim();
  EXPECT_EQ(source.outstanding(), 0U);
  EXPECT_EQ(source.mismatches(), 0);
}

}  // namespace
}  // namespace stretto
