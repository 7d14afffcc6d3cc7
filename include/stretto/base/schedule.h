#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <stretto/base/export.h>

namespace stretto {

/// For programs that look for wrong orders. With `STRETTO_SCHEDULE=deterministic:SEED` one thread runs at a time, and
/// the seed decides which one goes on at each step of the runtime: the same seed gives the same run.
///
/// Whether that is so. The first call of any of these functions, or of the runtime, takes the decision over.
STRETTO_API bool deterministic_schedule();

/// Decides by another seed from here on; nothing where the schedule is not deterministic. A program that begins with it
/// runs the same again whenever it is run.
STRETTO_API void reseed_schedule(std::uint64_t seed);

/// All that was decided since the start or `reseed_schedule`, in one number: two runs that decided the same have the
/// same. 0 where the schedule is not deterministic.
STRETTO_API std::uint64_t schedule_hash();

/// Nanoseconds from some moment on, by the clock that the runtime goes by: the system's steady one, or that of the
/// deterministic schedule.
STRETTO_API std::int64_t schedule_now();

/// `std::thread` that takes part in a deterministic schedule from its first instruction to its last. Others take part
/// from their first call of the runtime on, at a moment that no seed decides.
class STRETTO_API ScheduledThread {
 public:
  explicit ScheduledThread(std::function<void()> body);
  ScheduledThread(ScheduledThread&&) noexcept;
  ScheduledThread& operator=(ScheduledThread&&) = delete;
  /// It must have been joined, or ends the process.
  ~ScheduledThread();

  /// Blocks until the thread has ended.
  void join();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace stretto
