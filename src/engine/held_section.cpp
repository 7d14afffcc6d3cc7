#include "engine/held_section.h"

#include <algorithm>
#include <utility>

#include "base/mutation.h"
#include "engine/body_kind.h"
#include "engine/repeatable_body.h"

namespace stretto {
namespace {

/// Stands for a body that comes with each replay.
class NoBody final : public RepeatableBody {
 public:
  void run(BodyContext&, const RunSeed*) const override {}
};

}  // namespace

Captured SectionForm::captured() const {
  Captured captured;
  captured.device = device;
  for (std::uint32_t number = 0; number < slots.size(); ++number) {
    const Slot& slot = slots[number];
    captured.slots.push_back({.kind = slot.is_fresh ? Captured::SlotKind::made : Captured::SlotKind::argument,
                              .pinned = false,
                              .bytes = slot.bytes,
                              .buffer = {}});
    if (!slot.is_fresh) captured.argument_slots.push_back(number);
  }
  for (const Access& access : accesses) captured.accesses.push_back({access.slot, access.mode, access.box});
  captured.boxes = boxes;
  const auto no_body = std::make_shared<const NoBody>();
  for (const Task& task : tasks)
    captured.tasks.push_back({.body = has_bodies ? task.body : no_body,
                              .name = task.name,
                              .site = task.site,
                              .priority = Priority::normal,
                              .first_access = task.first_access,
                              .access_count = task.access_count});
  return captured;
}

void HeldSection::begin(std::shared_ptr<const SectionForm> form, Device device) {
  ++section_;
  is_same_ = true;
  given_ = std::move(form);
  if (given_ != nullptr) return;
  noted_ = std::make_shared<SectionForm>();
  noted_->device = device;
}

bool HeldSection::add(Task& task, const Submission& submission) {
  const SectionForm& form = this->form();
  if (submission.device != form.device) return false;
  for (const Access& access : submission.accesses)
    if (access.buffer->device() != form.device) return false;
  if (given_ == nullptr) {
    note(submission);
  } else if (tasks_.size() == given_->tasks.size() || !fits(given_->tasks[tasks_.size()], submission)) {
    return false;
  } else if (is_same_ && given_->has_bodies) {
    const SectionForm::Task& expected = given_->tasks[tasks_.size()];
    is_same_ = expected.body_kind == submission.body_kind &&
               (expected.body_kind->is_same(task, *expected.body) || is_broken(Mutation::repeat_number));
  }
  tasks_.push_back(&task);
  return true;
}

bool HeldSection::fits(const SectionForm::Task& expected, const Submission& submission) {
  if (expected.name != submission.name || expected.site.file != submission.site.file ||
      expected.site.line != submission.site.line || expected.role != submission.role ||
      expected.outside_effect != submission.outside_effect || expected.access_count != submission.accesses.size())
    return false;
  for (std::uint32_t i = 0; i < expected.access_count; ++i) {
    const SectionForm::Access& one = given_->accesses[expected.first_access + i];
    const Access& access = submission.accesses[i];
    const Box* const box = given_->box(one);
    if (one.mode != access.mode || (box == nullptr) != (access.box == nullptr)) return false;
    if (box != nullptr && !(*box == *access.box)) return false;
    const auto known = static_cast<std::uint32_t>(buffers_.size());
    const std::uint32_t slot = slot_of(*access.buffer);
    if (slot != one.slot) return false;
    if (slot < known) continue;
    const SectionForm::Slot& first = given_->slots[slot];
    if (first.is_fresh != fresh_[slot] || first.bytes != access.buffer->bytes()) return false;
  }
  return true;
}

void HeldSection::note(const Submission& submission) {
  SectionForm& form = *noted_;
  form.tasks.push_back({.name = submission.name,
                        .site = submission.site,
                        .role = submission.role,
                        .outside_effect = submission.outside_effect,
                        .first_access = static_cast<std::uint32_t>(form.accesses.size()),
                        .access_count = static_cast<std::uint32_t>(submission.accesses.size()),
                        .body_kind = submission.body_kind,
                        .body = nullptr});
  for (const Access& access : submission.accesses) {
    const std::uint32_t slot = slot_of(*access.buffer);
    if (slot == form.slots.size()) form.slots.push_back({fresh_[slot], access.buffer->bytes()});
    std::int32_t box = -1;
    if (access.box != nullptr) {
      box = static_cast<std::int32_t>(form.boxes.size());
      form.boxes.push_back(*access.box);
    }
    form.accesses.push_back({slot, access.mode, box});
  }
}

void HeldSection::note_bodies() {
  SectionForm& form = *noted_;
  if (form.has_bodies) return;
  if (!std::ranges::all_of(form.tasks, [](const SectionForm::Task& task) { return task.body_kind != nullptr; })) return;
  for (std::size_t number = 0; number < tasks_.size(); ++number)
    form.tasks[number].body = form.tasks[number].body_kind->copy(*tasks_[number]);
  form.has_bodies = true;
}

HeldSection::Known& HeldSection::find(const Buffer& buffer) {
  const std::size_t mask = known_.size() - 1;
  std::size_t at = (reinterpret_cast<std::uintptr_t>(&buffer) / alignof(Buffer)) * 0x9e3779b97f4a7c15u >> 32;
  while (known_[at & mask].section == section_ && known_[at & mask].buffer != &buffer) ++at;
  return known_[at & mask];
}

std::uint32_t HeldSection::slot_of(Buffer& buffer) {
  Known* known = &find(buffer);
  if (known->section == section_) return known->slot;
  if (2 * (buffers_.size() + 1) > known_.size()) {
    grow();
    known = &find(buffer);
  }
  const auto slot = static_cast<std::uint32_t>(buffers_.size());
  *known = {&buffer, slot, section_};
  fresh_.push_back(!buffer.is_written());
  buffers_.push_back(BufferReference::share(buffer));
  return slot;
}

void HeldSection::grow() {
  known_.assign(2 * known_.size(), {});
  for (std::uint32_t slot = 0; slot < buffers_.size(); ++slot)
    find(*buffers_[slot]) = {buffers_[slot].get(), slot, section_};
}

std::vector<BufferReference> HeldSection::end() {
  tasks_.clear();
  fresh_.clear();
  given_ = nullptr;
  noted_ = nullptr;
  return std::exchange(buffers_, {});
}

}  // namespace stretto
