#include "backends/cuda/host_staging.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <system_error>

#include <stretto/base/error.h>

#include "backends/cuda/driver_function.h"
#include "backends/cuda/host_pages.h"
#include "kernels/cuda/check.h"

namespace stretto {
namespace {

constexpr int polls_before_sleep = 2000;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

CUdeviceptr address(const void* word) { return reinterpret_cast<CUdeviceptr>(word); }

}  // namespace

HostStaging::HostStaging(int gpu, cudaStream_t stream)
    : gpu_(gpu),
      stream_(stream),
      // Half of the cores, so that those who compute keep theirs. A power of two, since the numbers of pieces wrap.
      thread_count_(std::bit_floor(std::clamp(std::thread::hardware_concurrency() / 2, 1u, most_threads))),
      chunk_count_(chunks_a_thread * thread_count_) {
  const std::size_t bytes = chunk_count_ * chunk_bytes;
  chunks_ = static_cast<std::byte*>(std::aligned_alloc(huge_page_bytes, bytes));
  if (chunks_ != nullptr) madvise(chunks_, bytes, MADV_HUGEPAGE);
  if (chunks_ == nullptr || !lock_host_pages(chunks_, bytes)) {
    std::free(chunks_);
    throw OutOfMemoryError("the host locks no more pages for copies from and to GPUs");
  }
  void* memory = nullptr;
  check_cuda(cudaHostAlloc(&memory, sizeof(Words), cudaHostAllocPortable | cudaHostAllocMapped), "cudaHostAlloc");
  words_ = new (memory) Words{};
  try {
    for (std::uint32_t i = 0; i < thread_count_; ++i) {
      Copier& copier = *copiers_.emplace_back(std::make_unique<Copier>());
      copier.thread = std::thread([this, &copier] { run(copier); });
    }
  } catch (const std::system_error& error) {
    end_copiers();
    unlock_host_pages(chunks_);
    std::free(chunks_);
    static_cast<void>(cudaFreeHost(words_));
    throw DeviceError("the system starts no more threads for copies from and to GPUs: " + error.code().message());
  }
}

void HostStaging::end_copiers() {
  stopping_ = true;
  for (const auto& copier : copiers_) {
    const MutexLock lock(copier->mutex);
    copier->pushed.notify_all();
  }
  for (const auto& copier : copiers_)
    if (copier->thread.joinable()) copier->thread.join();
}

HostStaging::~HostStaging() {
  end_copiers();
  // Lets the stream go on, with chunks that nobody empties.
  for (std::uint32_t i = 0; i < chunk_count_; ++i)
    words_of(last_ - i).host_done.store(last_ - i, std::memory_order_release);
  if (cudaSetDevice(gpu_) == cudaSuccess && cudaStreamSynchronize(stream_) == cudaSuccess) {
    unlock_host_pages(chunks_);
    std::free(chunks_);
    static_cast<void>(cudaFreeHost(words_));
  }
}

void HostStaging::to_host(std::byte* to, const std::byte* from, std::size_t bytes) {
  const std::uint32_t before = last_;
  for (std::size_t begin = 0; begin < bytes; begin += chunk_bytes) {
    const std::size_t size = std::min(chunk_bytes, bytes - begin);
    const std::uint32_t number = ++last_;
    stream_waits(words_of(number).host_done, number - chunk_count_);
    check_cuda(cudaMemcpyAsync(chunk_of(number), from + begin, size, cudaMemcpyDeviceToHost, stream_),
               "cudaMemcpyAsync");
    stream_writes(words_of(number).device_done, number);
    push({to + begin, size, number, true});
  }
  // The earlier pieces of a chunk are done when its last one is.
  const std::uint32_t pieces = std::min(last_ - before, chunk_count_);
  for (std::uint32_t number = last_ - pieces + 1; number != last_ + 1; ++number)
    stream_waits(words_of(number).host_done, number);
}

void HostStaging::from_host(std::byte* to, const std::byte* from, std::size_t bytes) {
  // Once for all pieces of this copy: its source is ready when the stream gets here.
  stream_writes(words_->begun, last_ + static_cast<std::uint32_t>((bytes + chunk_bytes - 1) / chunk_bytes));
  for (std::size_t begin = 0; begin < bytes; begin += chunk_bytes) {
    const std::size_t size = std::min(chunk_bytes, bytes - begin);
    const std::uint32_t number = ++last_;
    push({const_cast<std::byte*>(from) + begin, size, number, false});
    stream_waits(words_of(number).host_done, number);
    check_cuda(cudaMemcpyAsync(to + begin, chunk_of(number), size, cudaMemcpyHostToDevice, stream_), "cudaMemcpyAsync");
    stream_writes(words_of(number).device_done, number);
  }
}

void HostStaging::push(const Piece& piece) {
  Copier& copier = *copiers_[piece.number % thread_count_];
  const MutexLock lock(copier.mutex);
  copier.pieces.push_back(piece);
  copier.pushed.notify_one();
}

void HostStaging::run(Copier& copier) {
  while (true) {
    Piece piece{};
    {
      MutexLock lock(copier.mutex);
      while (copier.pieces.empty() && !stopping_.load()) copier.pushed.wait(lock);
      if (stopping_.load()) return;
      piece = copier.pieces.front();
      copier.pieces.pop_front();
    }
    std::byte* const chunk = chunk_of(piece.number);
    ChunkWords& words = words_of(piece.number);
    if (piece.to_host) {
      if (!await(words.device_done, piece.number)) return;
      std::memcpy(piece.host, chunk, piece.bytes);
    } else {
      if (!await(words_->begun, piece.number)) return;
      if (!await(words.device_done, piece.number - chunk_count_)) return;
      std::memcpy(chunk, piece.host, piece.bytes);
    }
    words.host_done.store(piece.number, std::memory_order_release);
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
