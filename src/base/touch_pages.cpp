#include "base/touch_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <system_error>
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

/// Calls `work(begin, size)` for parts of so many bytes, all but the first on threads of their own.
template <typename Work>
void in_parts(std::size_t bytes, Work work) {
  const std::size_t cores = std::max(std::thread::hardware_concurrency(), 1u);
  const std::size_t threads = std::clamp(bytes / least_part, std::size_t{1}, std::min(cores, most_threads));
  const std::size_t part = (bytes / threads / page_bytes + 1) * page_bytes;
  std::vector<std::thread> others;
  std::size_t next = part;
  try {
    for (; next < bytes; next += part)
      others.emplace_back([=, begin = next] { work(begin, std::min(part, bytes - begin)); });
  } catch (const std::system_error&) {
    // The system starts no more of them: the rest is left to this one.
  }
  work(0, std::min(part, bytes));
  for (; next < bytes; next += part) work(next, std::min(part, bytes - next));
  for (std::thread& other : others) other.join();
}

}  // namespace

void touch_pages(std::byte* data, std::size_t bytes) {
  in_parts(bytes, [=](std::size_t begin, std::size_t size) { touch(data + begin, size); });
}

void copy_to_fresh_pages(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes >= 2 * huge_page_bytes) {
    const std::size_t skipped =
        (huge_page_bytes - reinterpret_cast<std::uintptr_t>(to) % huge_page_bytes) % huge_page_bytes;
    madvise(to + skipped, (bytes - skipped) / huge_page_bytes * huge_page_bytes, MADV_HUGEPAGE);
  }
  if (bytes > 0)
    in_parts(bytes, [=](std::size_t begin, std::size_t size) { std::memcpy(to + begin, from + begin, size); });
}

}  // namespace stretto
