#include "base/touch_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace stretto {
namespace {

std::size_t resident_pages(std::byte* data, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((bytes + page - 1) / page);
  EXPECT_EQ(mincore(data, bytes, pages.data()), 0);
  return static_cast<std::size_t>(std::ranges::count_if(pages, [](unsigned char state) { return (state & 1) != 0; }));
}

TEST(TouchPages, HasMemoryBehindAllPages) {
  constexpr std::size_t bytes = std::size_t{40} << 20;
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  auto* const data = static_cast<std::byte*>(mapped);
  EXPECT_LT(resident_pages(data, bytes), 100u);
  touch_pages(data, bytes);
  EXPECT_EQ(resident_pages(data, bytes), bytes / static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  munmap(mapped, bytes);
}

TEST(TouchPages, ChangesNothing) {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{4096}, std::size_t{5} << 20, (std::size_t{17} << 20) + 3}) {
    std::vector<std::byte> memory(bytes, std::byte{7});
    touch_pages(memory.data(), bytes);
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(memory, std::byte{7})), bytes);
  }
}

TEST(TouchPages, CopiesEveryByte) {
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{4097}, std::size_t{5} << 20, (std::size_t{17} << 20) + 3}) {
    std::vector<std::byte> from(bytes), to(bytes + 1, std::byte{9});
    for (std::size_t i = 0; i < bytes; ++i) from[i] = static_cast<std::byte>(i * 2654435761u >> 13);
    copy_to_fresh_pages(to.data(), from.data(), bytes);
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin())) << bytes;
    EXPECT_EQ(to[bytes], std::byte{9}) << "and none more";
  }
}

}  // namespace
}  // namespace stretto
