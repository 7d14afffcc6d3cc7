#include "engine/known_sections.h"

#include <algorithm>
#include <utility>

#include "base/mutation.h"
#include "engine/scheduler.h"
#include "engine/template.h"

namespace stretto {
namespace {

constexpr std::size_t most_known = 8;
constexpr int most_misses = 2;
// As sections of a short period move along a longer one, what somebody refers to at their end is now this, now that:
// all of it together is still little.
constexpr int most_remakes = 16;
// A replay may take such a part of the memory that is free.
constexpr std::size_t part_of_free = 4;

}  // namespace

bool KnownSection::has_room(Scheduler& scheduler) const {
  const MemoryPool& pool = *scheduler.devices().at(form->device).memory;
  const std::size_t live = pool.statistics().live;
  return live < pool.limit() && bytes <= (pool.limit() - live) / part_of_free;
}

KnownSection* KnownSections::find(std::uint64_t key) {
  const auto found = std::ranges::find_if(known_, [&](const auto& one) { return one->key == key; });
  if (found == known_.end()) return nullptr;
  std::rotate(found, found + 1, known_.end());
  return known_.back().get();
}

/// In place of one that has not been used for long.
KnownSection& KnownSections::add(std::uint64_t key) {
  if (known_.size() == most_known) known_.erase(known_.begin());
  known_.push_back(std::make_unique<KnownSection>());
  known_.back()->key = key;
  return *known_.back();
}

void KnownSections::forget(const KnownSection& known) {
  std::erase_if(known_, [&](const auto& one) { return one.get() == &known; });
}

void KnownSections::miss(std::uint64_t key) {
  KnownSection* const known = find(key);
  if (known != nullptr && ++known->misses == most_misses) forget(*known);
}

/// By what was noted under its key: of another form, or of the same with bodies that do something else.
KnownSection& KnownSections::replace(KnownSection& known, const HeldSection& held) {
  KnownSection replaced;
  replaced.key = known.key;
  replaced.form = held.share_form();
  replaced.wanted.assign(replaced.form->slots.size(), false);
  // Where they change for good it is soon found the next time, too; where they do each time, ever later.
  if (known.is_outdated() && known.same < KnownSection::enough_same)
    replaced.patience = std::min(2 * known.patience, KnownSection::most_patience);
  known = std::move(replaced);
  return known;
}

KnownSection& KnownSections::learn(std::uint64_t key, const HeldSection& held, const std::vector<bool>* referred,
                                   Scheduler& scheduler) {
  const SectionForm& form = held.form();
  KnownSection* known = find(key);
  bool changed = known == nullptr || known->form.get() != &form;
  if (known != nullptr && changed) known = &replace(*known, held);
  if (known == nullptr) {
    known = &add(key);
    known->form = held.share_form();
    known->wanted.assign(form.slots.size(), false);
  }
  if (known->waits_for_locals) referred = nullptr;
  std::vector<bool> kept = known->wanted;  // Without those that were only referred to when it was complete.
  for (std::uint32_t slot = 0; slot < form.slots.size(); ++slot) {
    if (!form.slots[slot].is_fresh || known->wanted[slot]) continue;
    if (held.is_dead(slot) && (referred == nullptr || !(*referred)[slot])) continue;
    if (is_broken(Mutation::repeat_kept)) [[unlikely]]
      continue;
    kept[slot] = !held.is_dead(slot);
    known->wanted[slot] = true;
    changed = true;
  }
  known->misses = 0;
  if (changed) {
    if (known->remakes++ == most_remakes) known->wanted.assign(form.slots.size(), true);
    make_template(*known, scheduler);
    // Its thread may just have lost its core behind the last submission, which is to keep it from nothing.
    if (known->replays == nullptr && known->wanted != kept && known->remakes <= most_remakes) {
      known->waits_for_locals = true;
      known->wanted = std::move(kept);
      make_template(*known, scheduler);
    }
  }
  return *known;
}

void KnownSections::make_template(KnownSection& known, Scheduler& scheduler) {
  std::vector<std::uint32_t> results;
  for (std::uint32_t slot = 0; slot < known.wanted.size(); ++slot)
    if (known.form->slots[slot].is_fresh && known.wanted[slot]) results.push_back(slot);
  known.replays = nullptr;
  const std::shared_ptr<const Template> made = Template::make(known.form->captured(), results);
  // A port costs what a task does: where each task has tensors of its own nothing is saved.
  if (made == nullptr || made->ports().size() >= made->nodes().size()) return;
  known.bytes = made->place_bytes();
  for (const std::uint32_t slot : results) known.bytes += known.form->slots[slot].bytes;
  known.replays = std::make_shared<Replays>(scheduler, made);
  ++made_;
}

}  // namespace stretto
