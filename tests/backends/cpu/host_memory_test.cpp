#include "backends/cpu/host_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <limits>

namespace stretto {
namespace {

TEST(HostMemory, GivesAlignedZeros) {
  HostMemory memory;
  for (const std::size_t bytes : {1UL, 4096UL, 100'000UL, 5'000'000UL, 33'000'001UL}) {
    std::byte* const data = memory.allocate(bytes);
    ASSERT_NE(data, nullptr) << bytes;
    const std::uintptr_t alignment = bytes < (4U << 20) ? 4096 : (2U << 20);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % alignment, 0U) << bytes;
    EXPECT_EQ(data[0], std::byte{0});
    EXPECT_EQ(data[bytes - 1], std::byte{0});
    data[0] = data[bytes - 1] = std::byte{1};
    memory.release(data, bytes);
  }
}

TEST(HostMemory, RefusesWhatThereIsNot) {
  HostMemory memory;
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const std::size_t bytes : {std::size_t{0}, most, most - 4096, most / 2, most / 4})
    EXPECT_EQ(memory.allocate(bytes), nullptr) << bytes;
}

TEST(HostMemory, HasNoMoreThanTheMachine) {
  const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  EXPECT_GT(HostMemory().capacity(), 0U);
  EXPECT_LE(HostMemory().capacity(), pages * page_bytes);
}

}  // namespace
}  // namespace stretto
