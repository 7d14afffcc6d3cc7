#pragma once

#include <cstdint>
#include <exception>
#include <optional>

#include <stretto/backend/priority.h>
#include <stretto/core/device.h>

#include "backend/kernel_context.h"
#include "ordering/point.h"

namespace stretto {

/// What a lane executes. The engine's task derives from it; a lane knows nothing else of a task.
struct Work {};

inline constexpr int priority_count = 3;

/// What an in-order lane of a device is for.
enum class LaneRole : std::uint8_t { compute, to_host, from_host, peer };
inline constexpr int lane_role_count = 4;

/// What lanes call to have their work done; the engine is the only implementation.
class Executor {
 public:
  virtual ~Executor() = default;

  /// For unordered lanes: runs `work` to its end on the calling worker and lets its successors go. Returns a successor
  /// to be run next by the same worker, or null. Never throws.
  virtual Work* run(Work& work, KernelContext& context) = 0;
  /// Hint: `work`, which the caller owns or did own a moment ago, will probably be run soon on this thread.
  virtual void expect(const Work& /*work*/) {}
  /// Returns work that `run` had handed over to a queue: the caller pushes it.
  virtual Work& put_back(Work& work) = 0;
  /// For in-order lanes: runs the body alone; the lane's order and events do the rest. Never throws: a failure of the
  /// body is kept with the work.
  virtual void execute(Work& work, KernelContext& context) = 0;
  /// For in-order lanes, in place of `execute`: the body will never run, because the device is lost. Frees what it
  /// holds. The event behind the work says why. Never throws.
  virtual void drop(Work& /*work*/) {}
  /// Work that must come before all queued work: claims and runs one piece, false when there is none. Cheap when there
  /// is none.
  virtual bool run_urgent(KernelContext& context) = 0;
  /// Called by a worker that found nothing to do, once before it begins to wait.
  virtual void idle() = 0;
  /// What the work is called, for profilers. Lives as long as the process.
  virtual const char* name(const Work& /*work*/) const { return "work"; }
  /// Whether some thread is blocked until work is done. If not, those who submit are probably busy submitting.
  virtual bool awaited() const = 0;
};

/// When work ran on its device, in nanoseconds of the host's clock (`nanoseconds_now`).
struct WorkTimes {
  std::int64_t began;
  std::int64_t ended;
};

/// A moment behind a task on an in-order lane. Belongs to the lane that recorded it until given back with `release`.
class Event {
 public:
  virtual ~Event() = default;
  /// Whether everything before the event is done, or will never be because the device is lost. Never blocks. Once true
  /// it stays true, and effects are visible.
  virtual bool complete() = 0;
  /// Once complete: what the device found wrong in the work that the event was recorded behind; null where all is well.
  /// An event of a lost device has one unless all work before it was done, and then `Backend::loss` says why.
  virtual std::exception_ptr failure() { return nullptr; }
  /// Once complete: when the work that the event was recorded behind ran. Empty where the lane did not keep it or does
  /// not know it; a timeline then shows what the host saw. Never blocks.
  virtual std::optional<WorkTimes> times() { return {}; }
};

/// An in-order lane: a stream, or a copy engine in one direction. All calls come from one thread at a time.
///
/// None of them throws. What a device cannot do any more (a stream or an event cannot be made, it faulted) makes it
/// *lost*, for good: `Backend::loss` says why, what is issued is dropped, and every event is complete once nothing
/// before it runs any more, on this lane or on those it waits for.
class Lane {
 public:
  Lane() : id_(next_lane_id()) {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  virtual ~Lane() = default;

  LaneId id() const { return id_; }
  virtual LaneRole role() const = 0;
  /// Appends `work`. The body runs at once where it only enqueues (CUDA), or when its turn comes (sim); `work` stays
  /// valid until an event recorded behind it is complete. Never blocks for long.
  virtual void issue(Work& work, Executor& executor) = 0;
  /// Appends an event.
  virtual Event* record() = 0;
  /// What is appended later starts after `event`, which may belong to another lane of the same backend. Does not block
  /// the caller.
  virtual void wait(Event& event) = 0;
  virtual void release(Event* event) = 0;
  /// Whether events that are recorded from here on are to know their `times`; false at first. A lane to which that
  /// costs much keeps those of work that takes long, and of other work now and then.
  virtual void keep_times(bool /*keep*/) {}

 protected:
  /// A lane without a number: what is issued to it has no points.
  struct WithoutNumber {};
  explicit Lane(WithoutNumber) : id_(0) {}

 private:
  LaneId id_;
};

/// An unordered lane: a pool of workers. Work that is pushed is ready; it runs in any order, several pieces at a time.
class WorkerLane {
 public:
  virtual ~WorkerLane() = default;
  virtual int worker_count() const = 0;
  /// Starts the workers, unless they run. Where the system starts only some of them the lane goes on with these, and
  /// the log says so; throws Error where it starts none.
  virtual void start() = 0;
  /// From any thread. Does not block. Starts the workers when they do not run yet.
  virtual void push(Work& work, Priority priority) = 0;
  /// The same for a copy to this lane's device: a worker that is inside a long loop runs it between two chunks, so that
  /// what waits for the data need not wait for the loop.
  virtual void push_copy(Work& work) = 0;
  /// Tells the lane that the calling worker is about to block (true) or goes on (false), so that another may take its
  /// place.
  virtual void blocking(bool begins) = 0;
  /// Whether no worker is at work or about to be; those that block do not count. Who only looks for work is at rest
  /// while none is queued. Exact for workers that stand still; one that moves meanwhile may be missed.
  virtual bool at_rest() = 0;
  /// Makes sure a worker looks for urgent work soon.
  virtual void wake() = 0;
  /// Whether the calling thread is one of this lane's workers.
  virtual bool on_worker() const = 0;
  /// The context of the calling worker. Only where `on_worker()`.
  virtual KernelContext& current_context() = 0;
  /// Ends all workers after the piece each is at; for the end of the process. What is queued stays queued.
  virtual void stop() = 0;
  /// In the child after a fork: forgets the threads that are gone and everything queued.
  virtual void reset_after_fork() = 0;
};

}  // namespace stretto
