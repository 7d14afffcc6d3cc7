#include "backends/cuda/peer_access.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <cuda_runtime_api.h>

#include "base/log.h"
#include "kernels/cuda/check.h"

namespace stretto {
namespace {

constexpr std::size_t pattern_words = std::size_t{1} << 18;
constexpr std::size_t pattern_bytes = pattern_words * sizeof(std::uint32_t);

struct FreeOnGpu {
  void operator()(void* memory) const { static_cast<void>(cudaFree(memory)); }
};
using GpuMemory = std::unique_ptr<void, FreeOnGpu>;

GpuMemory allocate_on(int gpu) {
  void* memory = nullptr;
  check_cuda(cudaSetDevice(gpu), "cudaSetDevice");
  check_cuda(cudaMalloc(&memory, pattern_bytes), "cudaMalloc");
  return GpuMemory(memory);
}

/// Whether a pattern arrives that is copied from one GPU to the other.
bool arrives(int gpu, int peer) {
  const auto sent = std::make_unique<std::uint32_t[]>(pattern_words);
  const auto received = std::make_unique<std::uint32_t[]>(pattern_words);
  for (std::size_t i = 0; i < pattern_words; ++i) sent[i] = static_cast<std::uint32_t>(i) * 2654435761u + 1;
  const GpuMemory there = allocate_on(peer), here = allocate_on(gpu);
  check_cuda(cudaMemcpy(here.get(), sent.get(), pattern_bytes, cudaMemcpyDefault), "cudaMemcpy");
  check_cuda(cudaMemcpy(there.get(), received.get(), pattern_bytes, cudaMemcpyDefault), "cudaMemcpy");
  check_cuda(cudaMemcpyPeer(there.get(), peer, here.get(), gpu, pattern_bytes), "cudaMemcpyPeer");
  // A copy between GPUs is not waited for.
  check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  check_cuda(cudaMemcpy(received.get(), there.get(), pattern_bytes, cudaMemcpyDefault), "cudaMemcpy");
  for (std::size_t i = 0; i < pattern_words; ++i)
    if (received[i] != sent[i]) return false;
  return true;
}

}  // namespace

void reach_peers(int gpu, const std::vector<int>& peers) {
  for (const int peer : peers) {
    int possible = 0;
    check_cuda(cudaDeviceCanAccessPeer(&possible, gpu, peer), "cudaDeviceCanAccessPeer");
    if (possible == 0) continue;
    const cudaError_t enabled = cudaDeviceEnablePeerAccess(peer, 0);
    static_cast<void>(cudaGetLastError());
    // Another lane of this GPU was first, or the driver does not want to: it finds its own way then.
    if (enabled != cudaSuccess || arrives(gpu, peer)) continue;
    log(LogLevel::warning, "what GPU " + std::to_string(gpu) + " copies directly to GPU " + std::to_string(peer) +
                               " does not arrive: copies between them go over the host");
    check_cuda(cudaDeviceDisablePeerAccess(peer), "cudaDeviceDisablePeerAccess");
  }
}

}  // namespace stretto
