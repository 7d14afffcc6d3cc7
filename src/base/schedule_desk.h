#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/thread_control.h"

namespace stretto {

struct ThreadControl::Participant {
  enum class State {
    ready,
    waiting,
    away,  ///< Had its turn, and blocks in something that is not under control.
    ended
  };

  int number = 0;
  std::atomic<pid_t> thread{0};  ///< As the system knows it; 0 before it runs. Written by itself, read by the watch.
  State state = State::ready;
  const void* address = nullptr;  ///< Waited for; null where it sleeps.
  std::int64_t deadline = no_deadline;
  bool woken = false;
  std::uint64_t turn = 0;  ///< Since when it is ready, in the plain order.
  int weight = 1;
  int rounds_at_end = 0;
  std::atomic<std::uint32_t> go{0};  ///< Whether it is its turn; the thread sleeps on it.
};

/// Where ThreadControl decides: who takes part, what time it is, and whose turn comes next. Everything with its lock
/// held.
struct ScheduleDesk {
  using Participant = ThreadControl::Participant;

  void set_seed(std::uint64_t seed);
  std::uint64_t draw();
  std::shared_ptr<Participant> add();
  void become_ready(Participant& participant, bool woken);
  /// Lets so many of those who wait at `address` go on.
  void wake(const void* address, int count);
  /// Who goes on, time moved to the next deadline if need be; null when nobody can. Notes the decision in the hash.
  Participant* choose();
  /// Ends the process with what everybody waits for.
  [[noreturn]] void tell_deadlock() const;

  std::mutex mutex;
  std::vector<std::shared_ptr<Participant>> participants;  ///< Those that have not ended, in the order they came.
  Participant* running = nullptr;                          ///< Whose turn it is.
  bool watched = false;
  std::atomic<std::uint64_t> steps{0};
  std::int64_t time = 0;  ///< Nanoseconds.
  std::uint64_t seed = 0;
  std::uint64_t stays = 4;  ///< A thread that could go on does so, but for one time in so many.
  std::uint64_t hash = 0;

 private:
  void draw_weights();
  std::int64_t next_deadline() const;
  void gather_ready();

  std::vector<Participant*> ready_;  ///< Scratch.
  int entered_ = 0;
  std::uint64_t turns_ = 0;
  std::uint64_t random_ = 0;
  std::uint64_t decisions_ = 0;
};

/// What a step takes, so that time moves also for those who only poll.
inline constexpr std::int64_t step_nanoseconds = 20;

}  // namespace stretto
