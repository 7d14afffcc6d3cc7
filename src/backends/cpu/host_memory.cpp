#include "backends/cpu/host_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "backends/cpu/control_group.h"

namespace stretto {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
constexpr std::size_t smallest_with_huge_pages = 2 * huge_page_bytes;

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t round_up(std::size_t value, std::size_t step) { return (value + step - 1) / step * step; }

std::byte* map(std::size_t bytes) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
}

void unmap(std::byte* data, std::size_t bytes) {
  if (bytes > 0) munmap(data, bytes);
}

}  // namespace

HostMemory::HostMemory() {
  const std::size_t physical = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page_bytes();
  capacity_ = std::min(physical, control_group_limits().memory_bytes.value_or(physical));
}

std::byte* HostMemory::allocate(std::size_t bytes) {
  if (bytes == 0 || bytes > std::numeric_limits<std::size_t>::max() / 2) return nullptr;
  const std::size_t length = round_up(bytes, page_bytes());
  if (length < smallest_with_huge_pages) return map(length);

  // One huge page more than needed, so that what is kept can begin on a boundary.
  std::byte* const mapped = map(length + huge_page_bytes);
  if (mapped == nullptr) return nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(mapped);
  const std::size_t skipped = round_up(address, huge_page_bytes) - address;
  std::byte* const data = mapped + skipped;
  unmap(mapped, skipped);
  unmap(data + length, huge_page_bytes - skipped);
  madvise(data, length, MADV_HUGEPAGE);
  return data;
}

void HostMemory::release(std::byte* data, std::size_t bytes) { unmap(data, round_up(bytes, page_bytes())); }

}  // namespace stretto
