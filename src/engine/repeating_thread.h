#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread.h"
#include "engine/held_section.h"
#include "engine/repeat_finder.h"
#include "engine/replay.h"

namespace stretto {

/// What `Repeats` keeps of one thread that submits.
///
/// What is held, and the sections that are known, belong to whoever has the lock of `Repeats`; the rest is the thread's
/// own.
class RepeatingThread {
 public:
  enum class State : std::uint8_t {
    plain,     ///< Nothing is held.
    holding,   ///< The beginning of a section is.
    complete,  ///< All of it is.
    released,  ///< Somebody else had what was held submitted.
  };
  /// A section that came before, and its replays.
  struct Known {
    std::uint64_t key = 0;
    std::shared_ptr<const SectionForm> form;
    std::vector<bool> wanted;  ///< Of each slot: whether somebody may look at its values when the section is over.
    std::shared_ptr<Replays> replays;  ///< Null where it cannot have one, or none that saves anything.
    std::size_t bytes = 0;             ///< What one replay takes of the device's memory.
    int misses = 0;                    ///< How often in a row what was held looked different.
    int remakes = 0;                   ///< How often the template turned out to give up what was wanted.
  };

  /// Of the known, that with this key; null where there is none.
  Known* find(std::uint64_t key);
  /// In place of one that has not been used for long.
  Known& add(std::uint64_t key);
  void forget(const Known& known);

  RepeatFinder finder;
  bool is_off = false;  ///< Its repeats are not looked for.
  /// What is to be held when it comes; 0 for nothing.
  std::uint32_t expected_length = 0;
  std::uint64_t expected_key = 0;
  std::uint32_t expected_period = 0;
  std::uint32_t alone_since = 0;  ///< By the finder's count: when another thread submitted last.

  std::atomic<State> state{State::plain};
  HeldSection held;
  std::uint64_t key = 0;     ///< Of what is held.
  std::uint32_t length = 0;  ///< How much will be.
  std::uint32_t period = 0;
  bool is_patient = true;      ///< Whether replays that were awaited have ended soon.
  std::vector<bool> referred;  ///< Of each slot: whether somebody else referred to it when the section was complete.
  SteadyClock::time_point completed_at;

  std::vector<std::unique_ptr<Known>> known;  ///< What was used last is last.

  // Of one submission, kept for their memory.
  std::vector<Access> accesses;
  std::vector<Buffer*> arguments;
  std::vector<Buffer*> results;
};

}  // namespace stretto
