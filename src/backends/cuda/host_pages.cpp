#include "backends/cuda/host_pages.h"

#include <unistd.h>

#include <cuda_runtime_api.h>

#include "base/touch_pages.h"

namespace stretto {
namespace {

constexpr std::size_t page_bytes = 4096;

// A forked child has the memory, but no driver.
const pid_t owner = getpid();

}  // namespace

bool lock_host_pages(std::byte* data, std::size_t bytes) {
  if (getpid() != owner) return false;
  touch_pages(data, bytes);
  const std::size_t whole_pages = (bytes + page_bytes - 1) / page_bytes * page_bytes;
  if (cudaHostRegister(data, whole_pages, cudaHostRegisterPortable) == cudaSuccess) return true;
  static_cast<void>(cudaGetLastError());
  return false;
}

void unlock_host_pages(std::byte* data) {
  if (getpid() != owner) return;
  static_cast<void>(cudaHostUnregister(data));
  static_cast<void>(cudaGetLastError());
}

}  // namespace stretto
