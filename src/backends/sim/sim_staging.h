#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "backends/sim/sim_delays.h"
#include "backends/sim/sim_time.h"
#include "base/mutex.h"

namespace stretto {

/// How one end of a staged copy moves bytes.
struct StagingEnd {
  double rate = 0;         ///< Bytes a second; 0 is as fast as the host.
  bool on_device = false;  ///< Whether it touches a device's memory.
};

/// Copies of one lane to or from ordinary memory of the host: through a ring of page-locked chunks, which the lane
/// fills and threads of this object's own empty, each its share of the chunks, or the other way round. No worker of the
/// CPU has a part in it.
///
/// Calls come from the lane's thread, one at a time, and return when the last byte is where it belongs; they return the
/// moment at which that is, after `begin`.
class SimStaging {
 public:
  /// With `dry`, nothing is moved. With a seed, the threads dawdle now and then.
  SimStaging(bool dry, int threads, std::optional<std::uint64_t> delay_seed);
  /// As `stop()`.
  ~SimStaging() { stop(); }
  SimStaging(const SimStaging&) = delete;
  SimStaging& operator=(const SimStaging&) = delete;

  /// The lane reads `from` into chunks at `lane_rate`, the thread writes them to `to`.
  SimTime out(std::byte* to, const std::byte* from, std::size_t bytes, SimTime begin, double lane_rate, StagingEnd end);
  /// The thread reads `from` into chunks, the lane writes them to `to` at `lane_rate`.
  SimTime in(std::byte* to, const std::byte* from, std::size_t bytes, SimTime begin, double lane_rate, StagingEnd end);

  /// Makes calls return at once, whatever is done. Any thread.
  void begin_stop();
  /// The same, and blocks until the thread has ended.
  void stop();

 private:
  static constexpr std::size_t chunk_bytes = std::size_t{4} << 20;
  static constexpr std::uint64_t least_chunks = 4;
  static constexpr std::uint64_t chunks_a_thread = 2;

  /// What a thread does of one chunk's copy.
  struct Piece {
    std::byte* host;
    std::size_t bytes;
    std::uint64_t number;
    SimTime ready;  ///< When the lane had filled the chunk.
    StagingEnd end;
    bool outward;
  };
  /// One end's progress with each chunk: the last of its pieces that it is done with, and when.
  struct Progress {
    std::vector<std::uint64_t> numbers;
    std::vector<SimTime> moments;
  };
  struct Copier {
    explicit Copier(std::optional<std::uint64_t> delay_seed) : delays(delay_seed) {}

    std::deque<Piece> pieces;  ///< Under the lock.
    SimTime moment{0};         ///< Until when it is busy; its own.
    SimDelays delays;
    SimThread thread;
  };

  std::byte* chunk_of(std::uint64_t number) { return chunks_.get() + number % chunk_count_ * chunk_bytes; }
  void prepare();
  void push(const Piece& piece);
  void run(Copier& copier);
  void perform(Copier& copier, const Piece& piece);
  bool await(Progress SimStaging::* progress, std::uint64_t number, SimTime& moment);
  void advance(Progress SimStaging::* progress, std::uint64_t number, SimTime moment);

  const bool dry_;
  std::deque<Copier> copiers_;
  const std::uint64_t chunk_count_;
  std::unique_ptr<std::byte[]> chunks_;
  std::uint64_t last_ = 0;  ///< Used by the lane's thread alone.

  Mutex mutex_;
  ConditionVariable changed_;
  bool stopping_ STRETTO_GUARDED_BY(mutex_) = false;
  Progress lane_ STRETTO_GUARDED_BY(mutex_);
  Progress thread_ STRETTO_GUARDED_BY(mutex_);
};

/// Copies, as one end that takes its time: at least what the rate says from `begin` on. Returns the end. With `late`,
/// the bytes are moved at the end of that time and not at its beginning.
SimTime sim_move(std::byte* to, const std::byte* from, std::size_t bytes, SimTime begin, double rate, bool dry,
                 bool late = false);

}  // namespace stretto
