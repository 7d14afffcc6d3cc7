#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

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
/// fills and a thread of this object's own empties, or the other way round. No worker of the CPU has a part in it.
///
/// Calls come from the lane's thread, one at a time, and return when the last byte is where it belongs; they return the
/// moment at which that is, after `begin`.
class SimStaging {
 public:
  /// With `dry`, nothing is moved. With a seed, the thread dawdles now and then.
  SimStaging(bool dry, std::optional<std::uint64_t> delay_seed) : dry_(dry), delays_(delay_seed) {}
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
  static constexpr std::uint64_t chunk_count = 4;

  /// What the thread does of one chunk's copy.
  struct Piece {
    std::byte* host;
    std::size_t bytes;
    std::uint64_t number;
    SimTime ready;  ///< When the lane had filled the chunk.
    StagingEnd end;
    bool outward;
  };
  /// One end's progress: the last chunk it is done with, and when.
  struct Progress {
    std::uint64_t number = 0;
    std::array<SimTime, chunk_count> moments{};
  };

  std::byte* chunk_of(std::uint64_t number) { return chunks_.get() + number % chunk_count * chunk_bytes; }
  void prepare();
  void push(const Piece& piece);
  void run();
  void perform(const Piece& piece);
  bool await(Progress SimStaging::* progress, std::uint64_t number, SimTime& moment);
  void advance(Progress SimStaging::* progress, std::uint64_t number, SimTime moment);

  const bool dry_;
  std::unique_ptr<std::byte[]> chunks_;
  std::uint64_t last_ = 0;    ///< Used by the lane's thread alone.
  SimTime thread_moment_{0};  ///< Until when the thread is busy; its own.
  SimDelays delays_;

  Mutex mutex_;
  ConditionVariable changed_;
  bool stopping_ STRETTO_GUARDED_BY(mutex_) = false;
  std::deque<Piece> pieces_ STRETTO_GUARDED_BY(mutex_);
  Progress lane_ STRETTO_GUARDED_BY(mutex_);
  Progress thread_ STRETTO_GUARDED_BY(mutex_);
  SimThread runner_;
};

/// Copies, as one end that takes its time: at least what the rate says from `begin` on. Returns the end. With `late`,
/// the bytes are moved at the end of that time and not at its beginning.
SimTime sim_move(std::byte* to, const std::byte* from, std::size_t bytes, SimTime begin, double rate, bool dry,
                 bool late = false);

}  // namespace stretto
