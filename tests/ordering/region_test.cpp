#include "ordering/region.h"

#include <gtest/gtest.h>

#include <utility>

#include "ordering/ordering_model.h"

namespace stretto {
namespace {

std::vector<std::uint32_t> slots(const ReaderList& list) {
  std::vector<std::uint32_t> found;
  for (const TaskReference reader : list.view()) found.push_back(reader.slot);
  return found;
}

TEST(ReaderList, GrowsFromItsPlaceToTheHeap) {
  FakeSink sink;
  ReaderList list;
  std::vector<std::uint32_t> expected;
  for (int i = 0; i < 60; ++i) {
    const TaskReference reader = sink.begin();
    list.add(reader, sink);
    expected.push_back(reader.slot);
    EXPECT_EQ(slots(list), expected);
  }
  EXPECT_EQ(sink.joins(), 0);
}

TEST(ReaderList, MovesWithItsElements) {
  FakeSink sink;
  for (const int count : {0, 1, 2, 3, 20}) {
    ReaderList list;
    for (int i = 0; i < count; ++i) list.add(sink.begin(), sink);
    const std::vector<std::uint32_t> expected = slots(list);
    ReaderList moved(std::move(list));
    EXPECT_EQ(slots(moved), expected);
    ReaderList assigned;
    assigned.add(sink.begin(), sink);
    assigned = std::move(moved);
    EXPECT_EQ(slots(assigned), expected);
    assigned.clear();
    EXPECT_TRUE(assigned.empty());
    assigned.add(sink.begin(), sink);
    EXPECT_EQ(slots(assigned).size(), 1u);
  }
}

TEST(ReaderList, AFullListFirstForgetsWhatHasFinished) {
  FakeSink sink;
  ReaderList list;
  const TaskReference first = sink.begin();
  list.add(first, sink);
  const TaskReference second = sink.begin();
  list.add(second, sink);
  sink.finish(first.slot);
  const TaskReference third = sink.begin();
  list.add(third, sink);
  EXPECT_EQ(slots(list), (std::vector<std::uint32_t>{second.slot, third.slot}));
}

TEST(ReaderList, NamesATaskOnceHoweverOftenItReads) {
  FakeSink sink;
  ReaderList list;
  list.add(sink.begin(), sink);
  const TaskReference reader = sink.begin();
  for (int i = 0; i < 200; ++i) list.add(reader, sink);
  EXPECT_EQ(slots(list), (std::vector<std::uint32_t>{0, reader.slot}));
}

TEST(Region, SettlesWhenNothingIsPendingAndNothingFailed) {
  FakeSink sink;
  Region region;
  EXPECT_TRUE(region.settle(sink));
  region.write(sink.begin(), false, sink);
  region.read(sink.begin(), sink);
  EXPECT_FALSE(region.settle(sink));
  sink.finish(0);
  EXPECT_FALSE(region.settle(sink));
  EXPECT_FALSE(region.writer);
  sink.finish(1);
  EXPECT_TRUE(region.settle(sink));
  region.failure = FailureReference(new Failure(std::exception_ptr(), 1));
  EXPECT_FALSE(region.settle(sink)) << "a failure is not forgotten";
}

TEST(FailureReference, SharesOneFailure) {
  FailureReference a(new Failure(std::exception_ptr(), 4));
  EXPECT_EQ(a->references.load(), 1u);
  {
    const FailureReference b = a;
    FailureReference c(b);
    EXPECT_EQ(a->references.load(), 3u);
    const FailureReference d(std::move(c));
    EXPECT_EQ(a->references.load(), 3u);
    EXPECT_EQ(d.get(), a.get());
  }
  EXPECT_EQ(a->references.load(), 1u);
  const FailureReference e = FailureReference::adopt(FailureReference(a).release());
  EXPECT_EQ(a->references.load(), 2u);
  a = FailureReference();
  EXPECT_FALSE(a);
  EXPECT_EQ(e->sequence, 4u);
}

}  // namespace
}  // namespace stretto
