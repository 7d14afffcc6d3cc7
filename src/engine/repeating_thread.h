#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/thread.h"
#include "engine/held_section.h"
#include "engine/known_sections.h"
#include "engine/repeat_finder.h"
#include "engine/search_time.h"
#include "memory/spin_lock.h"

namespace stretto {

/// What `Repeats` keeps of one thread that submits.
///
/// What is held, and the sections that are known, belong to whoever has the lock of `Repeats`; the rest is the thread's
/// own. While the state is `holding` the thread adds to what is held under `adding` alone.
class RepeatingThread {
 public:
  enum class State : std::uint8_t {
    plain,      ///< Nothing is held.
    holding,    ///< The beginning of a section is.
    complete,   ///< All of it is.
    releasing,  ///< What is held is being submitted, under the lock.
    released,   ///< Somebody else had what was held submitted.
  };

  RepeatFinder finder;
  SearchTime search_time;
  bool is_off = false;  ///< Its repeats are not looked for.
  /// What is to be held when it comes; 0 for nothing.
  std::uint32_t expected_length = 0;
  std::uint64_t expected_key = 0;
  std::uint32_t expected_period = 0;
  std::uint32_t alone_since = 0;  ///< By the finder's count: when another thread submitted last.

  std::atomic<State> state{State::plain};
  SpinLock adding;  ///< Nobody goes from `holding` to another state without it.
  HeldSection held;
  std::uint64_t key = 0;     ///< Of what is held.
  std::uint32_t length = 0;  ///< How much will be.
  std::uint32_t period = 0;
  bool saves_nothing = false;       ///< Whether what was held last is known not to be worth a replay.
  std::uint32_t impatience = 0;     ///< Grows with each wait for a pending replay that was in vain.
  std::uint32_t impatient_for = 0;  ///< So many sections are not to be waited for.
  std::vector<bool> referred;  ///< Of each slot: whether somebody else referred to it when the section was complete.
  SteadyClock::time_point completed_at;
  SteadyClock::time_point succeeded_at;  ///< When the section before was complete that was replayed.

  KnownSections known;

  // Of one submission, kept for their memory.
  std::vector<Access> accesses;
  std::vector<Buffer*> arguments;
  std::vector<Buffer*> results;
};

}  // namespace stretto
