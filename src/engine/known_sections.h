#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/held_section.h"
#include "engine/replay.h"

namespace stretto {

/// A section that came before, and its replays.
struct KnownSection {
  std::uint64_t key = 0;
  std::shared_ptr<const SectionForm> form;
  std::vector<bool> wanted;  ///< Of each slot: whether somebody may look at its values when the section is over.
  std::shared_ptr<Replays> replays;  ///< Null where it cannot have one, or none that saves anything.
  std::size_t bytes = 0;             ///< What one replay takes of the device's memory.
  int misses = 0;                    ///< How often in a row what was held looked different.
  int remakes = 0;                   ///< How often the template turned out to give up what was wanted.
  /// With all as results that somebody refers to when it is complete nothing is saved: it waits for them to go.
  bool waits_for_locals = false;
  /// Of sections whose form has bodies: how many did what these do, and how many of the last did not.
  std::uint32_t same = 0, differing = 0;
  /// After so many in a row that did not, the next one is noted anew, with its bodies.
  std::uint32_t patience = least_patience;

  static constexpr std::uint32_t least_patience = 2, most_patience = 64;
  /// So many that did the same were worth noting them anew.
  static constexpr std::uint32_t enough_same = 4;

  void note_submitted(bool with_same_bodies) {
    same += with_same_bodies ? 1 : 0;
    differing = with_same_bodies ? 0 : differing + 1;
  }
  /// Whether its bodies are to be noted anew: what they do has changed, or changes each time, as far as one can tell.
  bool is_outdated() const { return form->has_bodies && differing >= patience; }

  /// A replay takes its memory all at once, before its first task: where that is scarce, tasks one by one need less.
  bool has_room(Scheduler& scheduler) const;
};

/// Some of the sections that a thread submitted before.
class KnownSections {
 public:
  /// Null where there is none.
  KnownSection* find(std::uint64_t key);
  /// What was held with this key looked different from what it should have. If that is so again and again it is
  /// forgotten.
  void miss(std::uint64_t key);
  /// A section that is held to its end, with its template: made where it was not known, or somebody may look at more of
  /// what it makes than was known. `referred`: of each slot, whether that is so by what the caller has seen before;
  /// null: of none.
  KnownSection& learn(std::uint64_t key, const HeldSection& held, const std::vector<bool>* referred,
                      Scheduler& scheduler);

  /// How many templates were made, ever.
  std::uint64_t made() const { return made_; }
  bool empty() const { return known_.empty(); }
  void clear() { known_.clear(); }

 private:
  KnownSection& add(std::uint64_t key);
  KnownSection& replace(KnownSection& known, const HeldSection& held);
  void forget(const KnownSection& known);
  void make_template(KnownSection& known, Scheduler& scheduler);

  std::vector<std::unique_ptr<KnownSection>> known_;  ///< What was used last is last.
  std::uint64_t made_ = 0;
};

}  // namespace stretto
