#include "cuda/cell_kernels.h"

#include <stdexcept>
#include <string>

#include <cuda_runtime.h>

namespace stretto {
namespace {

__device__ std::int64_t now() {
  std::int64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

__global__ void store(std::uint64_t* cell, std::uint64_t value, std::int64_t nanoseconds) {
  const std::int64_t start = now();
  while (now() - start < nanoseconds) __nanosleep(1000);
  *cell = value;
}

__global__ void fold(std::uint64_t* destination, const std::uint64_t* source) {
  *destination = 31 * *destination + *source + 1;
}

__global__ void fault(std::uint64_t* nowhere) { *nowhere = 1; }

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(error));
}

}  // namespace

void append_store(void* stream, std::byte* cell, std::uint64_t value, std::int64_t nanoseconds) {
  store<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(reinterpret_cast<std::uint64_t*>(cell), value, nanoseconds);
  check(cudaGetLastError());
}

void append_fold(void* stream, std::byte* destination, const std::byte* source) {
  fold<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(reinterpret_cast<std::uint64_t*>(destination),
                                                       reinterpret_cast<const std::uint64_t*>(source));
  check(cudaGetLastError());
}

void append_fault(void* stream) {
  fault<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(reinterpret_cast<std::uint64_t*>(64));
  check(cudaGetLastError());
}

std::uint64_t read_cell(const std::byte* cell) {
  std::uint64_t value = 0;
  check(cudaMemcpy(&value, cell, sizeof(value), cudaMemcpyDeviceToHost));
  return value;
}

}  // namespace stretto
