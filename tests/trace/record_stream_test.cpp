#include "trace/record_stream.h"

#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace stretto::trace {
namespace {

/// Leaves a record with this number in the calling thread's stream; false when it was dropped.
bool leave(std::uint64_t number, std::size_t bytes = 16, bool must_keep = false) {
  std::byte* const record = RecordStream::own().reserve(bytes, must_keep);
  if (record == nullptr) return false;
  const RecordHeader header{RecordKind::join, static_cast<std::uint32_t>(bytes)};
  std::memcpy(record, &header, sizeof header);
  std::memcpy(record + 8, &number, sizeof number);
  RecordStream::own().publish();
  return true;
}

std::uint64_t number_of(const RecordHeader& header) {
  std::uint64_t number = 0;
  std::memcpy(&number, &header + 1, sizeof number);
  return number;
}

TEST(RecordStream, HandsOverWhatItsThreadLeavesInOrder) {
  RecordStream& stream = RecordStream::own();
  EXPECT_EQ(stream.read(), nullptr);
  std::uint64_t next = 0, read = 0;
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 1000; ++i, ++next) EXPECT_TRUE(leave(next, 16 + 8 * (next % 50)));
    while (const RecordHeader* const record = stream.read()) EXPECT_EQ(number_of(*record), read++);
    EXPECT_EQ(read, next);
  }
  // Larger than what comes in a piece.
  EXPECT_TRUE(leave(7, 1 << 20));
  EXPECT_EQ(number_of(*stream.read()), 7u);
  EXPECT_EQ(stream.read(), nullptr);
  EXPECT_FALSE(stream.is_over());
  EXPECT_EQ(RecordStream::take_dropped(), 0u);
}

TEST(RecordStream, IsReadWhileItIsFilled) {
  constexpr std::uint64_t count = 200000;
  // This thread's, which it goes on with.
  static RecordStream* const own = RecordStream::take_made();
  static_cast<void>(own);
  std::thread thread([] {
    for (std::uint64_t i = 0; i < count; ++i) leave(i);
  });
  RecordStream* stream = nullptr;
  while (stream == nullptr) stream = RecordStream::take_made();
  for (std::uint64_t read = 0; read < count;)
    while (const RecordHeader* const record = stream->read()) ASSERT_EQ(number_of(*record), read++);
  thread.join();
  EXPECT_TRUE(stream->is_over());
  delete stream;
}

TEST(RecordStream, DropsWhatNobodyReadsInTime) {
  constexpr std::size_t bytes = 1 << 16;
  std::size_t left = 0;
  while (leave(left, bytes)) ++left;
  EXPECT_GE(left * bytes, RecordStream::unread_limit - (std::size_t{2} << 20));
  EXPECT_LE(left * bytes, RecordStream::unread_limit + 4 * bytes);
  EXPECT_FALSE(leave(0, bytes));
  EXPECT_EQ(RecordStream::take_dropped(), 2u);
  // What others rely on still has room.
  EXPECT_TRUE(leave(left, bytes, true));
  std::size_t read = 0;
  while (const RecordHeader* const record = RecordStream::own().read()) EXPECT_EQ(number_of(*record), read++);
  EXPECT_EQ(read, left + 1);
  EXPECT_TRUE(leave(0, bytes));
  EXPECT_NE(RecordStream::own().read(), nullptr);
}

}  // namespace
}  // namespace stretto::trace
