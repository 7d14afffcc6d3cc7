#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

namespace stretto {

/// Control over threads: of all that take part one runs at a time, and which one goes on is drawn from a seed whenever
/// one locks, waits, wakes another, pauses, or passes a `step`. Time is counted, not measured: it moves by a little
/// with each step, and to the next deadline when everybody waits. So the same seed gives the same run of the real code,
/// with the interleavings of a machine that may stop any thread at any step.
///
/// What takes part: each `Thread`, and each other thread from the first time it comes here. While a thread blocks in
/// something else (a mutex of its own, a read from a pipe), nobody goes on; what it waits for must not need them.
///
/// `Thread`, `Mutex`, `ConditionVariable`, `futex_wait` and what else blocks are built on this; other code calls `step`
/// alone. Without control each costs a load and a branch.
class ThreadControl {
 public:
  /// One that takes part.
  struct Participant;

  static constexpr std::int64_t no_deadline = std::numeric_limits<std::int64_t>::max();

  /// Takes control, with the calling thread the first to take part. Seed 0 is the plain order: in turn, and time stands
  /// still while anybody can go on. Nothing where it is active.
  static void begin_once(std::uint64_t seed);
  static bool active() { return active_.load(std::memory_order_relaxed); }
  /// Draws from another seed from here on, and begins the hash anew; time goes on.
  static void reseed(std::uint64_t seed);
  /// What was decided since control began or was reseeded, in one number: two runs that decided the same have the same.
  static std::uint64_t trace_hash();

  /// A place where others may go on first.
  static void step() {
    if (active()) [[unlikely]]
      switch_threads();
  }

  // The rest only while control is active.

  /// Lets another go on first, if any can.
  static void yield();
  /// Nanoseconds since control began.
  static std::int64_t now();
  static void sleep(std::int64_t nanoseconds);
  /// Waits until somebody wakes `address`; false when the deadline passed instead. Nothing happens between the caller's
  /// look at what it waits for and the wait.
  static bool wait(const void* address, std::int64_t deadline = no_deadline);
  /// Lets so many of those who wait at `address` go on, drawn from the seed.
  static void wake(const void* address, int count = std::numeric_limits<int>::max());

  /// For a thread about to be started by a thread that takes part.
  static std::shared_ptr<Participant> enlist();
  /// Of a thread that could not be started after all.
  static void withdraw(Participant& participant);
  /// The first call of the thread that was started. It ends by itself, behind the destructors of what is local to the
  /// thread.
  static void enter(std::shared_ptr<Participant> participant);
  static void await_end(const Participant& participant);

  /// In the child after a fork: the only thread is the only one to take part.
  static void reset_after_fork();

 private:
  static void switch_threads();
  static std::atomic<bool> active_;
};

}  // namespace stretto
