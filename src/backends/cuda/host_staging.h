#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include <cuda_runtime_api.h>

#include "base/mutex.h"

namespace stretto {

/// Copies between a device and ordinary host memory, through a ring of page-locked chunks that threads of their own
/// fill or empty, each its share of the chunks. Everything is appended to the stream at once; the stream and the
/// threads wait for each other by words in page-locked memory, so that nobody who appends is ever held up, and what
/// follows in the stream starts when the last byte is where it belongs.
///
/// Pieces are numbered from 1, and numbers wrap. Calls come from one thread at a time.
class HostStaging {
 public:
  /// The GPU must be the calling thread's current one. Throws OutOfMemoryError where the host locks no more pages.
  HostStaging(int gpu, cudaStream_t stream);
  /// Blocks until the threads are at their end. What was not copied yet stays uncopied.
  ~HostStaging();
  HostStaging(const HostStaging&) = delete;
  HostStaging& operator=(const HostStaging&) = delete;

  void to_host(std::byte* to, const std::byte* from, std::size_t bytes);
  void from_host(std::byte* to, const std::byte* from, std::size_t bytes);

 private:
  static constexpr std::size_t chunk_bytes = std::size_t{4} << 20;
  static constexpr std::uint32_t chunks_a_thread = 2;
  static constexpr std::uint32_t most_threads = 8;

  /// What a thread does of one chunk's copy.
  struct Piece {
    std::byte* host;
    std::size_t bytes;
    std::uint32_t number;
    bool to_host;
  };
  using Word = std::atomic<std::uint32_t>;
  /// Of one chunk: the last of its pieces that the thread, or the device, is done with.
  struct ChunkWords {
    alignas(64) Word host_done;
    alignas(64) Word device_done;
  };
  struct Words {
    alignas(64) Word begun;  ///< The last piece whose source the stream has seen finished.
    ChunkWords of_chunk[chunks_a_thread * most_threads];
  };
  struct Copier {
    Mutex mutex;
    ConditionVariable pushed;
    std::deque<Piece> pieces STRETTO_GUARDED_BY(mutex);
    std::thread thread;
  };

  std::byte* chunk_of(std::uint32_t number) const { return chunks_ + number % chunk_count_ * chunk_bytes; }
  ChunkWords& words_of(std::uint32_t number) const { return words_->of_chunk[number % chunk_count_]; }
  void push(const Piece& piece);
  void end_copiers();
  void run(Copier& copier);
  bool await(const Word& word, std::uint32_t number);
  void stream_waits(Word& word, std::uint32_t number);
  void stream_writes(Word& word, std::uint32_t number);

  const int gpu_;
  const cudaStream_t stream_;
  const std::uint32_t thread_count_;
  const std::uint32_t chunk_count_;
  std::byte* chunks_ = nullptr;
  Words* words_ = nullptr;
  std::uint32_t last_ = 0;

  std::atomic<bool> stopping_{false};
  std::vector<std::unique_ptr<Copier>> copiers_;
};

}  // namespace stretto
