#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <thread>

#include <cuda_runtime_api.h>

#include "base/mutex.h"

namespace stretto {

/// Copies between a device and ordinary host memory, through a ring of page-locked chunks that a thread of its own
/// fills or empties. Everything is appended to the stream at once; the stream and the thread wait for each other by
/// three words in page-locked memory, so that nobody who appends is ever held up, and what follows in the stream starts
/// when the last byte is where it belongs.
///
/// Pieces are numbered from 1, and numbers wrap. Calls come from one thread at a time.
class HostStaging {
 public:
  /// The GPU must be the calling thread's current one. Throws OutOfMemoryError where the host locks no more pages.
  HostStaging(int gpu, cudaStream_t stream);
  /// Blocks until the thread is at its end. What was not copied yet stays uncopied.
  ~HostStaging();
  HostStaging(const HostStaging&) = delete;
  HostStaging& operator=(const HostStaging&) = delete;

  void to_host(std::byte* to, const std::byte* from, std::size_t bytes);
  void from_host(std::byte* to, const std::byte* from, std::size_t bytes);

 private:
  static constexpr std::size_t chunk_bytes = std::size_t{4} << 20;
  static constexpr std::uint32_t chunk_count = 4;

  /// What the thread does of one chunk's copy.
  struct Piece {
    std::byte* host;
    std::size_t bytes;
    std::uint32_t number;
    bool to_host;
  };
  using Word = std::atomic<std::uint32_t>;
  struct Words {
    alignas(64) Word host_done;  ///< The last piece that the thread is done with.
    alignas(64) Word begun;      ///< The last piece whose source the stream has seen finished.
    alignas(64) Word device_done;
  };

  std::byte* chunk_of(std::uint32_t number) const { return chunks_ + number % chunk_count * chunk_bytes; }
  void push(const Piece& piece);
  void run();
  bool await(const Word& word, std::uint32_t number);
  void stream_waits(Word& word, std::uint32_t number);
  void stream_writes(Word& word, std::uint32_t number);

  const int gpu_;
  const cudaStream_t stream_;
  std::byte* chunks_ = nullptr;
  Words* words_ = nullptr;
  std::uint32_t last_ = 0;

  std::atomic<bool> stopping_{false};
  Mutex mutex_;
  ConditionVariable pushed_;
  std::deque<Piece> pieces_ STRETTO_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace stretto
