#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/lane.h"
#include "base/function_ref.h"

namespace stretto {

/// What was issued to the lanes of a `WorkRecorder`, to be launched as often as one likes, each time with the same
/// addresses: in one go where the device has a way. One launch at a time: the next comes when the last one is done, and
/// so does the end of this object.
class RecordedWork {
 public:
  RecordedWork() = default;
  RecordedWork(const RecordedWork&) = delete;
  RecordedWork& operator=(const RecordedWork&) = delete;
  virtual ~RecordedWork() = default;

  /// Gets it ready, once, before the first launch. May take long, on whatever thread. Empty, or why it will never be.
  virtual std::string prepare() = 0;
  /// Appends it to the first of `lanes`, which compute: it begins behind what is there, and what is appended there
  /// later comes behind all of it. A device that cannot launch it in one go spreads it over all of them. As `Lane`, it
  /// never throws.
  virtual void launch(std::span<Lane* const> lanes) = 0;
  /// Whether it uses memory of its recorder's: then no other such work of this recorder may be under way with it.
  virtual bool uses_recorder() const { return false; }
  /// Once a launch is done, before the next: calls `visit` for each piece of work that the device found something wrong
  /// in, by its number in the order in which they were issued, and forgets it.
  virtual void take_failures(FunctionRef<void(std::size_t, const std::exception_ptr&)> visit) = 0;
};

/// Lanes that carry nothing out, but keep what they are given. All calls come from one thread at a time.
class WorkRecorder {
 public:
  WorkRecorder() = default;
  WorkRecorder(const WorkRecorder&) = delete;
  WorkRecorder& operator=(const WorkRecorder&) = delete;
  virtual ~WorkRecorder() = default;

  /// What is issued to these between `begin` and `end` is recorded: work, events, and waits for events of theirs. Where
  /// a body only enqueues (CUDA) it runs, and what it enqueues is kept; elsewhere the work is, to be run by each
  /// launch. All work is to come behind an event of the first lane, and to be waited for by it. They have no numbers.
  virtual std::span<Lane* const> lanes() const = 0;
  virtual void begin() = 0;
  /// Null where not all of it can be launched again: `problem` says why.
  virtual std::unique_ptr<RecordedWork> end() = 0;
  virtual std::string problem() const { return {}; }
};

/// How many recorders a device has: what different ones recorded may be under way at the same time.
inline constexpr int recorder_count = 3;
/// How many lanes a recorder has.
inline constexpr int recorder_lanes = 8;

}  // namespace stretto
