#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace stretto {

/// The number of an in-order lane in this process, from 1; 0 is no lane.
using LaneId = std::uint16_t;
inline constexpr int max_lanes = 512;

/// (lane, sequence number): the moment at which the sequence-th task of an in-order lane is done. Sequence numbers of a
/// lane start at 1 and grow by one a task, so a point dominates all earlier points of its lane.
///
/// Eight bytes, because each edge between tasks carries one. The default point is "none": always complete.
class Point {
 public:
  constexpr Point() = default;
  constexpr Point(LaneId lane, std::uint64_t sequence) : bits_((std::uint64_t{lane} << 48) | sequence) {}

  constexpr LaneId lane() const { return static_cast<LaneId>(bits_ >> 48); }
  constexpr std::uint64_t sequence() const { return bits_ & ((std::uint64_t{1} << 48) - 1); }
  constexpr explicit operator bool() const { return bits_ != 0; }
  constexpr bool operator==(const Point&) const = default;

  constexpr std::uint64_t bits() const { return bits_; }
  static constexpr Point from_bits(std::uint64_t bits) {
    Point point;
    point.bits_ = bits;
    return point;
  }

 private:
  std::uint64_t bits_ = 0;
};

/// How far each in-order lane of the process has come. Written by whoever retires a lane's tasks, read by anybody.
class LaneProgress {
 public:
  /// True when all work up to `point` is done and its effects are visible to the caller.
  bool complete(Point point) const {
    return !point || done_[point.lane()].load(std::memory_order_acquire) >= point.sequence();
  }
  void advance(Point point) { done_[point.lane()].store(point.sequence(), std::memory_order_release); }

 private:
  std::array<std::atomic<std::uint64_t>, max_lanes> done_{};
};

/// The process's one table of progress.
LaneProgress& lane_progress();

/// Hands out the next lane number. Throws Error past `max_lanes`.
LaneId next_lane_id();

}  // namespace stretto
