#include "backends/cuda/host_staging.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <string>

#include <cuda.h>
#include <stretto/base/error.h>

#include "kernels/cuda/check.h"

namespace stretto {
namespace {

constexpr int polls_before_sleep = 2000;

/// Waits and writes of a stream are calls of the driver, which is not linked: it may be absent.
template <typename Function>
Function driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check_cuda(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found),
             "cudaGetDriverEntryPointByVersion");
  if (function == nullptr) throw DeviceError(std::string("the driver has no ") + name);
  return reinterpret_cast<Function>(function);
}

void check_driver(CUresult result, const char* call) {
  if (result != CUDA_SUCCESS)
    throw DeviceError(std::string(call) + " failed with error " + std::to_string(static_cast<int>(result)));
}

CUdeviceptr address(const void* word) { return reinterpret_cast<CUdeviceptr>(word); }

}  // namespace

HostStaging::HostStaging(int gpu, cudaStream_t stream) : gpu_(gpu), stream_(stream) {
  void* memory = nullptr;
  check_cuda(cudaHostAlloc(&memory, chunk_count * chunk_bytes, cudaHostAllocPortable), "cudaHostAlloc");
  chunks_ = static_cast<std::byte*>(memory);
  check_cuda(cudaHostAlloc(&memory, sizeof(Words), cudaHostAllocPortable | cudaHostAllocMapped), "cudaHostAlloc");
  words_ = new (memory) Words{};
  thread_ = std::thread([this] { run(); });
}

HostStaging::~HostStaging() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    pushed_.notify_all();
  }
  thread_.join();
  // Lets the stream go on, with chunks that nobody empties.
  words_->host_done.store(last_, std::memory_order_release);
  if (cudaSetDevice(gpu_) == cudaSuccess && cudaStreamSynchronize(stream_) == cudaSuccess) {
    static_cast<void>(cudaFreeHost(chunks_));
    static_cast<void>(cudaFreeHost(words_));
  }
}

void HostStaging::to_host(std::byte* to, const std::byte* from, std::size_t bytes) {
  for (std::size_t begin = 0; begin < bytes; begin += chunk_bytes) {
    const std::size_t size = std::min(chunk_bytes, bytes - begin);
    const std::uint32_t number = ++last_;
    stream_waits(words_->host_done, number - chunk_count);
    check_cuda(cudaMemcpyAsync(chunk_of(number), from + begin, size, cudaMemcpyDeviceToHost, stream_),
               "cudaMemcpyAsync");
    stream_writes(words_->device_done, number);
    push({to + begin, size, number, true});
  }
  stream_waits(words_->host_done, last_);
}

void HostStaging::from_host(std::byte* to, const std::byte* from, std::size_t bytes) {
  // Once for all pieces of this copy: its source is ready when the stream gets here.
  stream_writes(words_->begun, last_ + static_cast<std::uint32_t>((bytes + chunk_bytes - 1) / chunk_bytes));
  for (std::size_t begin = 0; begin < bytes; begin += chunk_bytes) {
    const std::size_t size = std::min(chunk_bytes, bytes - begin);
    const std::uint32_t number = ++last_;
    push({const_cast<std::byte*>(from) + begin, size, number, false});
    stream_waits(words_->host_done, number);
    check_cuda(cudaMemcpyAsync(to + begin, chunk_of(number), size, cudaMemcpyHostToDevice, stream_), "cudaMemcpyAsync");
    stream_writes(words_->device_done, number);
  }
}

void HostStaging::push(const Piece& piece) {
  const MutexLock lock(mutex_);
  pieces_.push_back(piece);
  pushed_.notify_one();
}

void HostStaging::run() {
  while (true) {
    Piece piece{};
    {
      MutexLock lock(mutex_);
      while (pieces_.empty() && !stopping_.load()) pushed_.wait(lock);
      if (stopping_.load()) return;
      piece = pieces_.front();
      pieces_.pop_front();
    }
    std::byte* const chunk = chunk_of(piece.number);
    if (piece.to_host) {
      if (!await(words_->device_done, piece.number)) return;
      std::memcpy(piece.host, chunk, piece.bytes);
    } else {
      if (!await(words_->begun, piece.number)) return;
      if (!await(words_->device_done, piece.number - chunk_count)) return;
      std::memcpy(chunk, piece.host, piece.bytes);
    }
    words_->host_done.store(piece.number, std::memory_order_release);
  }
}

/// False when the thread is asked to end.
bool HostStaging::await(const Word& word, std::uint32_t number) {
  for (int polls = 0; static_cast<std::int32_t>(word.load(std::memory_order_acquire) - number) < 0; ++polls) {
    if (stopping_.load(std::memory_order_relaxed)) return false;
    if (polls < polls_before_sleep) {
      __builtin_ia32_pause();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }
  return true;
}

void HostStaging::stream_waits(Word& word, std::uint32_t number) {
  static const auto wait = driver_function<decltype(&cuStreamWaitValue32)>("cuStreamWaitValue32");
  check_driver(wait(stream_, address(&word), number, CU_STREAM_WAIT_VALUE_GEQ), "cuStreamWaitValue32");
}

void HostStaging::stream_writes(Word& word, std::uint32_t number) {
  static const auto write = driver_function<decltype(&cuStreamWriteValue32)>("cuStreamWriteValue32");
  check_driver(write(stream_, address(&word), number, CU_STREAM_WRITE_VALUE_DEFAULT), "cuStreamWriteValue32");
}

}  // namespace stretto
