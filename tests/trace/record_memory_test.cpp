#include "trace/record_memory.h"

#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace stretto::trace {
namespace {

constexpr std::size_t piece_bytes = RecordMemory::piece_bytes;
constexpr std::size_t pieces = RecordMemory::reserved_bytes / piece_bytes;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

/// Whether memory stands behind the piece.
bool is_there(std::byte* piece) {
  unsigned char there = 0;
  EXPECT_EQ(mincore(piece, 1, &there), 0);
  return (there & 1) != 0;
}

TEST(RecordMemory, HandsOutFirstWhatWasGivenBackLast) {
  const auto memory = std::make_unique<RecordMemory>();
  std::byte* const first = memory->take();
  std::byte* const second = memory->take();
  ASSERT_NE(first, nullptr);
  EXPECT_NE(first, second);
  EXPECT_TRUE(memory->has(first));
  EXPECT_TRUE(memory->has(second + piece_bytes - 1));
  EXPECT_FALSE(memory->has(&memory));
  memory->give_back(first);
  memory->give_back(second);
  EXPECT_EQ(memory->take(), second);
  EXPECT_EQ(memory->take(), first);
}

TEST(RecordMemory, EndsSomewhere) {
  const auto memory = std::make_unique<RecordMemory>();
  std::set<std::byte*> taken;
  for (std::size_t i = 0; i < pieces; ++i) taken.insert(memory->take());
  EXPECT_EQ(taken.size(), pieces);
  EXPECT_FALSE(taken.contains(nullptr));
  EXPECT_EQ(memory->take(), nullptr);
  memory->give_back(*taken.begin());
  EXPECT_EQ(memory->take(), *taken.begin());
  memory->forget();
  EXPECT_EQ(memory->take(), *taken.begin());
}

TEST(RecordMemory, GivesBackToTheSystemWhatNobodyHas) {
  const auto memory = std::make_unique<RecordMemory>();
  std::vector<std::byte*> taken;
  for (std::size_t i = 0; i < 6 * huge_page_bytes / piece_bytes; ++i) {
    taken.push_back(memory->take());
    *taken.back() = std::byte{1};
  }
  // In the third, one is not given back.
  std::byte* const held = taken[2 * huge_page_bytes / piece_bytes];
  for (std::byte* const piece : taken)
    if (piece != held) memory->give_back(piece);
  memory->trim(huge_page_bytes);
  const auto in = [&](std::size_t area) { return taken[area * huge_page_bytes / piece_bytes]; };
  for (std::size_t area = 0; area < 6; ++area) EXPECT_EQ(is_there(in(area)), area == 0 || area == 2) << area;
  EXPECT_EQ(*held, std::byte{1});
  // All are still there to be taken, those with memory before others.
  EXPECT_EQ(memory->take(), in(0));
  memory->give_back(in(0));
  memory->give_back(held);
  memory->trim(0);
  for (std::size_t area = 0; area < 6; ++area) EXPECT_FALSE(is_there(in(area))) << area;
  std::set<std::byte*> again;
  for (std::size_t i = 0; i < taken.size(); ++i) again.insert(memory->take());
  EXPECT_EQ(again, std::set<std::byte*>(taken.begin(), taken.end()));
}

TEST(RecordMemory, GivesAPieceToOneThreadAtATime) {
  const auto memory = std::make_unique<RecordMemory>();
  std::atomic<bool> is_over{false};
  std::atomic<int> wrong{0};
  const auto use = [&](std::uint64_t number) {
    for (int i = 0; i < 20000; ++i) {
      std::byte* held[3];
      for (std::byte*& piece : held) {
        piece = memory->take();
        std::memcpy(piece, &number, sizeof number);
      }
      for (std::byte* const piece : held) {
        std::uint64_t found = 0;
        std::memcpy(&found, piece, sizeof found);
        if (found != number) ++wrong;
        memory->give_back(piece);
      }
    }
  };
  std::thread trimming([&] {
    while (!is_over.load()) memory->trim(0);
  });
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < 3; ++i) threads.emplace_back(use, i);
  for (std::thread& thread : threads) thread.join();
  is_over.store(true);
  trimming.join();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace stretto::trace
