#include "ordering/access_log.h"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>

#include "ordering/box_log.h"
#include "ordering/ordering_model.h"

namespace stretto {
namespace {

using Slots = std::set<std::uint32_t>;

/// Bytes [begin, end).
Box bytes(std::int64_t begin, std::int64_t end) { return Box(begin, 1, Shape{end - begin}, Strides{1}); }

class AccessLogTest : public testing::Test {
 protected:
  /// A new task with one access; what it comes after.
  Slots access(AccessMode mode, const Box* box = nullptr) {
    log.access(box, mode, sink.begin(), sink);
    return sink.task(sink.current()).after;
  }
  Slots access(AccessMode mode, const Box& box) { return access(mode, &box); }
  Slots values() const { return sink.task(sink.current()).values_from; }
  std::set<std::uint64_t> failures() const { return sink.task(sink.current()).failures; }
  void finish(std::uint32_t slot, std::uint64_t failure = 0) { sink.finish(slot, failure); }

  AccessLog log;
  FakeSink sink{&log};
};

constexpr AccessMode R = AccessMode::read, W = AccessMode::write, RW = AccessMode::read_write;

TEST_F(AccessLogTest, WholeAccessesGiveEachKindOfEdge) {
  EXPECT_EQ(access(R), Slots{});
  EXPECT_EQ(access(W), Slots{0}) << "a write comes after the readers before it";
  EXPECT_EQ(values(), Slots{});
  EXPECT_EQ(access(W), Slots{1}) << "a write comes after the write before it";
  EXPECT_EQ(values(), Slots{});
  EXPECT_EQ(access(R), Slots{2}) << "a read comes after the write before it";
  EXPECT_EQ(values(), Slots{2});
  EXPECT_EQ(access(R), Slots{2}) << "readers do not wait for each other";
  EXPECT_EQ(access(W), (Slots{3, 4}));
  EXPECT_EQ(access(RW), Slots{5});
  EXPECT_EQ(values(), Slots{5});
  EXPECT_EQ(access(R), Slots{6});
  EXPECT_EQ(access(RW), (Slots{6, 7}));
  EXPECT_EQ(values(), Slots{6});
  EXPECT_EQ(log.box_count(), 0u);
}

TEST_F(AccessLogTest, DisjointBoxesAreToldApart) {
  EXPECT_EQ(access(W, bytes(0, 8)), Slots{});
  EXPECT_EQ(access(W, bytes(8, 16)), Slots{});
  EXPECT_EQ(access(R, bytes(0, 8)), Slots{0});
  EXPECT_EQ(access(R, bytes(8, 16)), Slots{1});
  EXPECT_EQ(access(W, bytes(0, 8)), Slots{2});
  EXPECT_EQ(access(W, bytes(8, 16)), Slots{3});
  EXPECT_EQ(log.box_count(), 2u);
}

TEST_F(AccessLogTest, RowsAndColumnsMeetAndTilesDoNot) {
  // A matrix of 8 x 8 bytes.
  const Box row(8 * 3, 1, Shape{8}, Strides{1}), column(5, 1, Shape{8}, Strides{8}),
      other_column(4, 1, Shape{8}, Strides{8});
  EXPECT_EQ(access(W, row), Slots{});
  EXPECT_EQ(access(W, column), Slots{0});
  EXPECT_EQ(access(W, other_column), Slots{0});
  const Box tile(0, 1, Shape{4, 4}, Strides{8, 1}), next_tile(4, 1, Shape{4, 4}, Strides{8, 1});
  AccessLog tiles;
  tiles.access(&tile, W, sink.begin(), sink);
  tiles.access(&next_tile, W, sink.begin(), sink);
  EXPECT_EQ(sink.task(sink.current()).after, Slots{});
}

TEST_F(AccessLogTest, WholeAndBoxesAreOrdered) {
  access(W);  // 0
  EXPECT_EQ(access(R, bytes(0, 4)), Slots{0});
  EXPECT_EQ(access(W, bytes(4, 8)), Slots{0});  // 2
  EXPECT_EQ(access(R), (Slots{0, 2}));          // 3
  EXPECT_EQ(values(), (Slots{0, 2}));
  EXPECT_EQ(access(W, bytes(0, 4)), (Slots{1, 3}));
  access(W);  // 5
  EXPECT_EQ(sink.all_before(5), (Slots{0, 1, 2, 3, 4}));
  EXPECT_EQ(log.box_count(), 0u) << "a write of everything makes the boxes forgotten";
  EXPECT_EQ(access(R, bytes(0, 4)), Slots{5});
}

TEST_F(AccessLogTest, APureBoxWriteBehindAWholeReaderStillComesAfterTheWriter) {
  access(W);               // 0
  access(R);               // 1
  access(W, bytes(0, 4));  // 2
  EXPECT_EQ(sink.all_before(2), (Slots{0, 1}));
  access(W, bytes(2, 6));  // 3
  EXPECT_EQ(sink.all_before(3), (Slots{0, 1, 2}));
}

TEST_F(AccessLogTest, FinishedBoxesAreForgotten) {
  for (int i = 0; i < 10; ++i) access(W, bytes(i, i + 1));
  EXPECT_EQ(log.box_count(), 10u);
  for (std::uint32_t i = 0; i < 10; ++i) finish(i);
  access(R);
  EXPECT_EQ(log.box_count(), 0u) << "an access to everything settles them";
  EXPECT_EQ(sink.all_before(sink.current()), Slots{});
}

TEST_F(AccessLogTest, AFailureStaysUntilItIsWrittenOver) {
  access(W);  // 0
  finish(0, 7);
  access(R);
  EXPECT_EQ(failures(), std::set<std::uint64_t>{7});
  access(RW);
  EXPECT_EQ(failures(), std::set<std::uint64_t>{7});
  access(W);
  EXPECT_EQ(failures(), std::set<std::uint64_t>{});
  finish(1), finish(2), finish(3);
  access(R);
  EXPECT_EQ(failures(), std::set<std::uint64_t>{});
}

TEST_F(AccessLogTest, AFailureStaysInItsBox) {
  access(W, bytes(0, 8));   // 0
  access(W, bytes(8, 16));  // 1
  finish(0, 3);
  finish(1);
  access(R, bytes(8, 16));
  EXPECT_EQ(failures(), std::set<std::uint64_t>{});
  access(R, bytes(4, 6));
  EXPECT_EQ(failures(), std::set<std::uint64_t>{3});
  access(R);
  EXPECT_EQ(failures(), std::set<std::uint64_t>{3});
  access(W, bytes(0, 8));
  for (std::uint32_t i = 2; i < sink.count(); ++i) finish(i);
  access(R);
  EXPECT_EQ(failures(), std::set<std::uint64_t>{});
}

TEST_F(AccessLogTest, OnlyTheLastWriterIsMarked) {
  access(W);  // 0
  access(W);  // 1
  finish(0, 3);
  finish(1);
  access(R);
  EXPECT_EQ(failures(), std::set<std::uint64_t>{});
}

TEST_F(AccessLogTest, PeekingTellsTheWritersOfABoxAndRecordsNothing) {
  access(W);               // 0
  access(W, bytes(0, 4));  // 1
  access(W, bytes(4, 8));  // 2
  access(R, bytes(0, 4));  // 3
  const auto peek = [&](const Box* box, std::span<const Box> except = {}) {
    sink.begin();
    log.peek(box, except, sink);
    return sink.task(sink.current()).after;
  };
  const Box first = bytes(0, 4), second = bytes(5, 6), third = bytes(9, 10);
  EXPECT_EQ(peek(nullptr), (Slots{0, 1, 2}));
  EXPECT_EQ(peek(&first), (Slots{0, 1}));
  EXPECT_EQ(peek(&second), (Slots{0, 2}));
  EXPECT_EQ(peek(&third), Slots{0});
  EXPECT_EQ(peek(nullptr, std::array{first, third}), (Slots{0, 2}));
  EXPECT_EQ(peek(&first, std::array{Box::whole(4)}), Slots{0});
  EXPECT_EQ(access(W, bytes(4, 8)), (Slots{0, 2})) << "a peek leaves no reader";
}

TEST_F(AccessLogTest, PeekingAtAnAccessTellsWhatItComesAfter) {
  const std::array parts{bytes(0, 4), bytes(2, 6), bytes(4, 8), bytes(0, 8)};
  std::uint32_t random = 1;
  const auto below = [&random](std::uint32_t limit) { return (random = random * 1103515245 + 12345) / 65536 % limit; };
  for (int i = 0; i < 400; ++i) {
    const std::uint32_t part = below(5);
    const Box* const box = part < 4 ? &parts[part] : nullptr;
    const AccessMode mode = std::array{R, R, W, RW}[below(4)];
    sink.begin();
    log.peek_access(box, mode, sink);
    const Slots expected = sink.task(sink.current()).after;
    const Slots expected_values = values();
    EXPECT_EQ(access(mode, box), expected) << i;
    EXPECT_EQ(values(), expected_values) << i;
  }
}

TEST_F(AccessLogTest, ManyReadersAreJoined) {
  access(W);  // 0
  for (int i = 0; i < 1000; ++i) access(R);
  EXPECT_GT(sink.joins(), 10);
  EXPECT_LT(sink.joins(), 20);
  const std::uint32_t count = sink.count();
  const Slots direct = access(W);
  EXPECT_LE(direct.size(), 64u) << "the next writer has few edges";
  Slots readers;
  for (std::uint32_t slot = 0; slot < count; ++slot) readers.insert(slot);
  EXPECT_EQ(sink.all_before(sink.current()), readers);
}

TEST_F(AccessLogTest, ManyReadersThatFinishAreNotJoined) {
  access(W);
  finish(0);
  for (int i = 0; i < 1000; ++i) {
    access(R);
    if (i >= 20) finish(sink.current() - 20);
  }
  EXPECT_EQ(sink.joins(), 0);
}

TEST_F(AccessLogTest, ATaskThatReadsTwiceIsNotJoinedWithItself) {
  for (int readers = 60; readers < 70; ++readers) {
    AccessLog one;
    for (int i = 0; i < readers; ++i) one.access(nullptr, R, sink.begin(), sink);
    const TaskReference task = sink.begin();
    for (int i = 0; i < 3; ++i) one.access(nullptr, R, task, sink);
    one.access(nullptr, RW, task, sink);
    EXPECT_FALSE(sink.all_before(task.slot).contains(task.slot)) << "a task that waits for itself, behind " << readers;
  }
}

TEST_F(AccessLogTest, ATaskThatWritesManyBoxesIsNotMergedWithItself) {
  for (const bool overlapping : {false, true}) {
    AccessLog one;
    const TaskReference task = sink.begin();
    for (std::int64_t i = 0; i < 3000; ++i) {
      const Box box = bytes(10 * i, 10 * i + (overlapping ? 11 : 10));
      one.access(&box, W, task, sink);
    }
    const Box box = bytes(5, 29000);
    one.access(&box, RW, task, sink);
    EXPECT_FALSE(sink.all_before(task.slot).contains(task.slot));
    one.access(&box, R, sink.begin(), sink);
    EXPECT_TRUE(sink.all_before(sink.current()).contains(task.slot));
    EXPECT_TRUE(sink.all_values(sink.current()).contains(task.slot));
  }
}

TEST_F(AccessLogTest, BoxesBeyondTheLimitAreMerged) {
  constexpr int count = 3 * static_cast<int>(BoxLog::disjoint_limit);
  for (std::int64_t i = 0; i < count; ++i) {
    access(W, bytes(8 * i, 8 * i + 8));
    ASSERT_LE(log.box_count(), BoxLog::disjoint_limit);
  }
  EXPECT_GT(sink.joins(), 0);
  access(R, bytes(0, 8));
  EXPECT_TRUE(sink.all_before(sink.current()).contains(0)) << "the first writer is not forgotten";
  EXPECT_TRUE(sink.all_values(sink.current()).contains(0));
}

TEST_F(AccessLogTest, OverlappingBoxesBeyondTheLimitAreMergedSooner) {
  for (std::int64_t i = 0; i < 1000; ++i) {
    access(W, bytes(8 * i, 8 * i + 12));
    ASSERT_LE(log.box_count(), BoxLog::overlapping_limit + 1);
  }
}

TEST_F(AccessLogTest, AWriteBehindMergedReadersComesAfterTheOtherWritersToo) {
  // One box that is read, and so many that are written that all are merged: a pure write must come after both kinds.
  const std::int64_t count = static_cast<std::int64_t>(BoxLog::disjoint_limit) + 1;
  access(R, bytes(0, 8));  // 0
  for (std::int64_t i = 1; i < count; ++i) access(W, bytes(8 * i, 8 * i + 8));
  ASSERT_GT(sink.joins(), 0);
  access(W, bytes(0, 16));
  const Slots before = sink.all_before(sink.current());
  EXPECT_TRUE(before.contains(0)) << "the reader of the first box";
  EXPECT_TRUE(before.contains(1)) << "the writer of the second box";
}

TEST_F(AccessLogTest, MergingKeepsFailures) {
  access(W, bytes(0, 8));  // 0
  finish(0, 5);
  for (std::int64_t i = 1; i < 2000; ++i) access(W, bytes(8 * i, 8 * i + 8));
  ASSERT_GT(sink.joins(), 0);
  access(R, bytes(0, 8));
  EXPECT_EQ(failures(), std::set<std::uint64_t>{5});
}

TEST_F(AccessLogTest, AFailureThatComesAfterTheMergeIsSeen) {
  for (std::int64_t i = 0; i < 2000; ++i) access(W, bytes(8 * i, 8 * i + 8));
  ASSERT_GT(sink.joins(), 0);
  const std::uint32_t count = sink.count();
  for (std::uint32_t slot = 0; slot < count; ++slot)
    if (!sink.task(slot).joined) finish(slot, slot == 0 ? 5 : 0);
  access(R, bytes(0, 8));
  EXPECT_EQ(failures(), std::set<std::uint64_t>{5});
  EXPECT_EQ(sink.all_before(sink.current()), Slots{});
}

}  // namespace
}  // namespace stretto
