#include "base/touch_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace stretto {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
constexpr std::size_t most_threads = 16;
// A thread is not worth its start for less.
constexpr std::size_t least_part = std::size_t{4} << 20;

void touch(std::byte* data, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += page_bytes) {
    auto& byte = reinterpret_cast<volatile unsigned char&>(data[at]);
    byte = byte;
  }
}

}  // namespace

void touch_pages(std::byte* data, std::size_t bytes) {
  const std::size_t cores = std::max(std::thread::hardware_concurrency(), 1u);
  const std::size_t threads = std::clamp(bytes / least_part, std::size_t{1}, std::min(cores, most_threads));
  const std::size_t part = (bytes / threads / page_bytes + 1) * page_bytes;
  std::vector<std::thread> others;
  for (std::size_t begin = part; begin < bytes; begin += part)
    others.emplace_back([=] { touch(data + begin, std::min(part, bytes - begin)); });
  touch(data, std::min(part, bytes));
  for (std::thread& other : others) other.join();
}

void touch_fresh_pages(std::byte* data, std::size_t bytes) {
  if (bytes < 2 * huge_page_bytes) return;
  const std::size_t skipped =
      (huge_page_bytes - reinterpret_cast<std::uintptr_t>(data) % huge_page_bytes) % huge_page_bytes;
  const std::size_t whole = (bytes - skipped) / huge_page_bytes * huge_page_bytes;
  madvise(data + skipped, whole, MADV_HUGEPAGE);
  touch_pages(data + skipped, whole);
}

}  // namespace stretto
