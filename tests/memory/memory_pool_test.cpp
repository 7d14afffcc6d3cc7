#include "memory/memory_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "memory/counting_source.h"
#include "memory/pool_helpers.h"

namespace stretto {
namespace {

TEST(MemoryPool, ReusesTheBlockThatCameBackLast) {
  CountingSource source(64 * mebibyte);
  MemoryPool pool(source, 0, false);
  for (const std::size_t bytes : {1UL, 100UL, 5000UL, 300'000UL, 9'000'000UL}) {
    Block block = allocate(pool, bytes);
    std::byte* const data = block.data;
    pool.release(std::move(block));
    const std::uint64_t asked = pool.statistics().source_allocations;
    block = allocate(pool, bytes);
    EXPECT_EQ(block.data, data) << bytes;
    EXPECT_EQ(pool.statistics().source_allocations, asked) << bytes;
    pool.release(std::move(block));
  }
}

TEST(MemoryPool, BlocksAreAlignedAndWasteAtMostAnEighth) {
  CountingSource source(512 * mebibyte);
  MemoryPool pool(source, 0, false);
  for (const std::size_t bytes : {1UL, 64UL, 65UL, 1025UL, 4000UL, 1'000'000UL, 40'000'000UL}) {
    const Block block = allocate(pool, bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data) % 64, 0U) << bytes;
    EXPECT_GE(block.bytes, bytes);
    EXPECT_LE(block.bytes, std::max(bytes + 63, bytes + bytes / 8)) << bytes;
  }
}

TEST(MemoryPool, NoBytesGiveADistinctBlock) {
  CountingSource source(mebibyte);
  MemoryPool pool(source, 0, false);
  const Block first = allocate(pool, 0);
  const Block second = allocate(pool, 0);
  EXPECT_NE(first.data, nullptr);
  EXPECT_NE(first.data, second.data);
  EXPECT_GE(first.bytes, 1U);
}

TEST(MemoryPool, HugeSizesAreRefused) {
  CountingSource source(mebibyte);
  MemoryPool pool(source, 0, false);
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const std::size_t bytes : {most, most - 1, most - 63, most / 2 + 1, most / 4, 2 * mebibyte})
    EXPECT_FALSE(pool.allocate(bytes, 0)) << bytes;
  EXPECT_TRUE(pool.allocate(mebibyte, 0));
  EXPECT_EQ(pool.statistics().allocations, 1U);
}

TEST(MemoryPool, PrefersSettledThenSameLaneThenFreshThenAny) {
  constexpr std::size_t bytes = mebibyte;
  for (const std::size_t scale : {1UL, 8UL}) {  // shelved, and too large for a shelf
    SCOPED_TRACE(scale);
    CountingSource source(4 * scale * mebibyte);
    MemoryPool pool(source, 0, false);
    TestLane mine;
    TestLane other;
    TestLane done;
    Block a = allocate(pool, scale * bytes);
    Block b = allocate(pool, scale * bytes);
    Block c = allocate(pool, scale * bytes);
    std::byte* const on_other = release_busy(pool, std::move(a), other);
    std::byte* const on_mine = release_busy(pool, std::move(b), mine);
    std::byte* const settled = release_busy(pool, std::move(c), done);
    done.finish();

    const Block first = allocate(pool, scale * bytes, mine.id());
    EXPECT_EQ(first.data, settled);
    EXPECT_TRUE(first.pending.empty());
    const Block second = allocate(pool, scale * bytes, mine.id());
    EXPECT_EQ(second.data, on_mine);
    EXPECT_FALSE(second.pending.empty());
    const Block third = allocate(pool, scale * bytes, mine.id());
    EXPECT_NE(third.data, on_other);
    EXPECT_TRUE(third.pending.empty());
    const Block fourth = allocate(pool, scale * bytes, mine.id());
    EXPECT_EQ(fourth.data, on_other);
    EXPECT_EQ(fourth.pending.begin()->lane(), other.id());
    EXPECT_FALSE(pool.allocate(scale * bytes, mine.id()));
  }
}

TEST(MemoryPool, GivesTheBlockOfAPlaceWhileItIsCached) {
  CountingSource source(256 * mebibyte);
  MemoryPool pool(source, 0, false);
  for (const std::size_t bytes : {100UL, 300'000UL, 9'000'000UL}) {
    Block first = allocate(pool, bytes), second = allocate(pool, bytes), third = allocate(pool, bytes);
    const MemoryPool::Place places[] = {{first.data, bytes}, {second.data, bytes}};
    EXPECT_FALSE(pool.has_all(places)) << bytes;
    EXPECT_FALSE(pool.allocate_at(places[0])) << bytes;
    pool.release(std::move(first));
    EXPECT_FALSE(pool.has_all(places)) << bytes;
    pool.release(std::move(second));
    pool.release(std::move(third));
    EXPECT_TRUE(pool.has_all(places)) << bytes;
    const MemoryPool::Place larger[] = {{places[0].data, 40'000'000}};
    EXPECT_FALSE(pool.has_all(larger)) << bytes;
    for (const MemoryPool::Place place : places) {
      const std::size_t live = pool.statistics().live;
      std::optional<Block> block = pool.allocate_at(place);
      ASSERT_TRUE(block) << bytes;
      EXPECT_EQ(block->data, place.data);
      EXPECT_GE(block->bytes, bytes);
      EXPECT_EQ(pool.statistics().live, live + block->bytes);
      EXPECT_FALSE(pool.allocate_at(place)) << bytes;
    }
  }
}

TEST(MemoryPool, ABusyBlockOfAPlaceStaysBusy) {
  CountingSource source(64 * mebibyte);
  MemoryPool pool(source, 0, false);
  const LaneId lane = next_lane_id();
  const Point point(lane, 1);
  Block block = allocate(pool, 1000);
  const MemoryPool::Place place{block.data, 1000};
  block.pending.add(point);
  pool.release(std::move(block));
  std::optional<Block> again = pool.allocate_at(place);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->pending.empty());
  pool.release(std::move(*again));
  lane_progress().advance(point);
  again = pool.allocate_at(place);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->pending.empty());
}

TEST(MemoryPool, WorkersTakeFreshMemoryBeforeTheyWait) {
  CountingSource source(2 * mebibyte);
  MemoryPool pool(source, 0, false);
  TestLane lane;
  std::byte* const busy = release_busy(pool, allocate(pool, mebibyte), lane);
  const Block fresh = allocate(pool, mebibyte, 0);
  EXPECT_NE(fresh.data, busy);
  const Block waited = allocate(pool, mebibyte, 0);
  EXPECT_EQ(waited.data, busy);
  EXPECT_FALSE(waited.pending.empty());
}

TEST(MemoryPool, SettledPointsAreForgottenAtRelease) {
  CountingSource source(mebibyte);
  MemoryPool pool(source, 0, false);
  TestLane lane;
  Block block = allocate(pool, 1000);
  block.pending.add(lane.issue());
  lane.finish();
  pool.release(std::move(block));
  EXPECT_TRUE(allocate(pool, 1000).pending.empty());
}

TEST(MemoryPool, AChainOfTemporariesFitsThreeArrays) {
  for (const std::size_t bytes : {6400UL, 4'000'000UL, 40'000'000UL}) {
    SCOPED_TRACE(bytes);
    CountingSource source(8 * bytes);
    MemoryPool pool(source, 3 * bytes, false);
    TestLane lane;
    const Block constant = allocate(pool, bytes, lane.id());
    Block current = allocate(pool, bytes, lane.id());
    for (int i = 0; i < 100; ++i) {
      Block next = allocate(pool, bytes, lane.id());
      release_busy(pool, std::move(current), lane);
      current = std::move(next);
    }
    EXPECT_FALSE(pool.allocate(2 * bytes, lane.id()));
    EXPECT_LE(pool.statistics().reserved, 3 * bytes);
    EXPECT_LE(source.outstanding(), 3 * bytes);
  }
}

TEST(MemoryPool, OtherSizesMakeWayAtTheLimit) {
  CountingSource source(64 * mebibyte);
  MemoryPool pool(source, 0, false);
  TestLane lane;
  std::vector<Block> blocks;
  for (int i = 0; i < 16; ++i) blocks.push_back(allocate(pool, 4 * mebibyte));
  for (int i = 0; i < 15; ++i) release_busy(pool, std::move(blocks[i]), lane);
  EXPECT_FALSE(pool.allocate(32 * mebibyte, lane.id())) << "all of it is busy";
  lane.finish();
  const Block large = allocate(pool, 32 * mebibyte, lane.id());
  EXPECT_EQ(pool.statistics().reserved, source.outstanding());
  EXPECT_EQ(pool.statistics().live, 36 * mebibyte);
}

TEST(MemoryPool, ABusyBlockIsSplitAtTheLimitAndBothPartsStayBusy) {
  CountingSource source(64 * mebibyte);
  MemoryPool pool(source, 0, false);
  TestLane lane;
  std::byte* const busy = release_busy(pool, allocate(pool, 64 * mebibyte), lane);
  const Block first = allocate(pool, 16 * mebibyte, 0);
  const Block second = allocate(pool, 1000, 0);
  EXPECT_EQ(first.data, busy);
  EXPECT_EQ(second.data, busy + first.bytes);
  for (const Block* part : {&first, &second}) {
    ASSERT_FALSE(part->pending.empty());
    EXPECT_EQ(part->pending.begin()->lane(), lane.id());
  }
}

TEST(MemoryPool, SmallBlocksJoinToServeALargeOne) {
  CountingSource source(64 * mebibyte);
  MemoryPool pool(source, 0, false);
  std::vector<Block> blocks;
  while (auto block = pool.allocate(1000, 0)) blocks.push_back(std::move(*block));
  EXPECT_GT(pool.statistics().live, 60 * mebibyte);
  for (Block& block : blocks) pool.release(std::move(block));
  const Block large = allocate(pool, 50 * mebibyte);
  EXPECT_EQ(pool.statistics().live, large.bytes);
  EXPECT_EQ(source.outstanding(), pool.statistics().reserved);
}

TEST(MemoryPool, CachedMemoryOfOtherSizesIsUsedBeforeTheDeviceIsAsked) {
  CountingSource source(std::size_t{4} << 30);
  MemoryPool pool(source, 0, false);
  for (std::size_t bytes = 40 * mebibyte; bytes > 10 * mebibyte; bytes -= mebibyte) pool.release(allocate(pool, bytes));
  EXPECT_LE(pool.statistics().reserved, 2 * pool.statistics().peak + 64 * mebibyte);
}

TEST(MemoryPool, TrimGivesBackWhatIsSettled) {
  CountingSource source(256 * mebibyte);
  MemoryPool pool(source, 0, false);
  TestLane lane;
  const Block held = allocate(pool, 10 * mebibyte);
  release_busy(pool, allocate(pool, 20 * mebibyte), lane);
  std::vector<Block> blocks;
  for (int i = 0; i < 10'000; ++i) blocks.push_back(allocate(pool, 640));
  for (Block& block : blocks) pool.release(std::move(block));
  const std::size_t before = source.outstanding();
  const std::size_t returned = pool.trim();
  EXPECT_GE(returned, 6 * mebibyte);
  EXPECT_EQ(source.outstanding(), before - returned);
  EXPECT_EQ(pool.statistics().reserved, source.outstanding());
  EXPECT_EQ(source.outstanding(), held.bytes + 20 * mebibyte);
  lane.finish();
  EXPECT_EQ(pool.trim(), 20 * mebibyte);
  EXPECT_EQ(pool.trim(), 0U);
}

/// A source whose pieces lie one behind the other.
class ContiguousSource : public MemorySource {
 public:
  explicit ContiguousSource(std::size_t capacity) : arena_(capacity) {}
  std::byte* allocate(std::size_t bytes) override {
    if (bytes > arena_.size() - used_) return nullptr;
    given_.push_back(bytes);
    used_ += bytes;
    return arena_.data() + used_ - bytes;
  }
  void release(std::byte*, std::size_t bytes) override { released_.push_back(bytes); }
  std::size_t capacity() const override { return arena_.size(); }

  const std::vector<std::size_t>& given() const { return given_; }
  const std::vector<std::size_t>& released() const { return released_; }

 private:
  std::vector<std::byte> arena_;
  std::size_t used_ = 0;
  std::vector<std::size_t> given_;
  std::vector<std::size_t> released_;
};

TEST(MemoryPool, NeighbouringPiecesOfTheSourceGoBackAsTheyCame) {
  ContiguousSource source(8 * mebibyte);
  MemoryPool pool(source, 0, false);
  Block first = allocate(pool, 2 * mebibyte);
  Block second = allocate(pool, 2 * mebibyte);
  EXPECT_EQ(second.data, first.data + first.bytes);
  pool.release(std::move(first));
  pool.release(std::move(second));
  EXPECT_EQ(pool.trim(), 4 * mebibyte);
  EXPECT_EQ(source.released(), source.given());
}

TEST(MemoryPool, StatisticsFollowTheBlocks) {
  CountingSource source(64 * mebibyte);
  MemoryPool pool(source, 0, false);
  Block a = allocate(pool, 1024);
  Block b = allocate(pool, 2048);
  EXPECT_EQ(pool.statistics().live, 3072U);
  pool.release(std::move(b));
  EXPECT_EQ(pool.statistics().live, 1024U);
  EXPECT_EQ(pool.statistics().peak, 3072U);
  pool.reset_peak();
  EXPECT_EQ(pool.statistics().peak, 1024U);
  pool.release(std::move(a));
  EXPECT_EQ(pool.statistics().live, 0U);
  EXPECT_EQ(pool.statistics().allocations, 2U);
  EXPECT_EQ(pool.statistics().source_allocations, 1U);
  EXPECT_EQ(pool.statistics().reserved, source.outstanding());
}

TEST(MemoryPool, PoisonsFreshAndReusedBlocksButNotBusyOnes) {
  CountingSource source(64 * mebibyte);
  MemoryPool pool(source, 0, true);
  TestLane lane;
  Block block = allocate(pool, 1000, lane.id());
  const auto first_float = [](const Block& of) {
    float value = 0;
    std::memcpy(&value, of.data, sizeof(value));
    return value;
  };
  EXPECT_TRUE(std::isnan(first_float(block)));
  std::memset(block.data, 0, block.bytes);
  pool.release(std::move(block));
  block = allocate(pool, 1000, lane.id());
  EXPECT_TRUE(is_filled_with(std::byte{0xFF}, block));
  std::memset(block.data, 0, block.bytes);
  release_busy(pool, std::move(block), lane);
  EXPECT_EQ(first_float(allocate(pool, 1000, lane.id())), 0.0F);
}

TEST(MemoryPool, TheSourceMayRefuseBelowTheLimit) {
  CountingSource source(100'000);
  MemoryPool pool(source, 0, false);
  const Block outside_of_the_pool{source.allocate(64'000), 64'000, {}, nullptr};
  EXPECT_FALSE(pool.allocate(80'000, 0));
  const Block block = allocate(pool, 30'000);
  EXPECT_EQ(pool.statistics().reserved, block.bytes);
}

TEST(MemoryPool, GivesEverythingBackAtTheEnd) {
  CountingSource source(64 * mebibyte);
  {
    MemoryPool pool(source, 0, false);
    const Block held = allocate(pool, 5000);
    pool.release(allocate(pool, 10 * mebibyte));
    EXPECT_GT(source.outstanding(), 0U);
  }
  EXPECT_EQ(source.outstanding(), 0U);
  EXPECT_EQ(source.mismatches(), 0);
}

}  // namespace
}  // namespace stretto
