#include "engine/capture.h"

#include <utility>

namespace stretto {

thread_local constinit Capture* Capture::current_ = nullptr;

Capture::Capture(std::span<const BufferReference> arguments) {
  for (const BufferReference& argument : arguments) {
    const auto number = static_cast<std::uint32_t>(captured_.slots.size());
    const auto [entry, is_new] = slot_numbers_.emplace(argument.get(), number);
    if (is_new)
      captured_.slots.push_back(
          {.kind = Captured::SlotKind::argument, .pinned = false, .bytes = argument->bytes(), .buffer = argument});
    captured_.argument_slots.push_back(entry->second);
  }
  current_ = this;
}

void Capture::close() {
  if (current_ == this) current_ = nullptr;
}

void Capture::end(std::string why) {
  if (reason_.empty()) reason_ = std::move(why);
  close();
  captured_ = {};
  slot_numbers_.clear();
}

std::uint32_t Capture::slot_of(Buffer& buffer) {
  const auto number = static_cast<std::uint32_t>(captured_.slots.size());
  const auto [entry, is_new] = slot_numbers_.emplace(&buffer, number);
  if (is_new) {
    captured_.slots.push_back({.kind = Captured::SlotKind::captured,
                               .pinned = false,
                               .bytes = buffer.bytes(),
                               .buffer = BufferReference::share(buffer)});
  }
  return entry->second;
}

void Capture::note_made(Buffer& buffer) {
  // One that lay here before is gone: the address is this one's from here on.
  slot_numbers_[&buffer] = static_cast<std::uint32_t>(captured_.slots.size());
  captured_.slots.push_back({.kind = Captured::SlotKind::made, .pinned = false, .bytes = buffer.bytes(), .buffer = {}});
}

void Capture::note_used_from_outside(Buffer& buffer) {
  Captured::Slot& slot = captured_.slots[slot_of(buffer)];
  if (slot.kind == Captured::SlotKind::argument) slot.pinned = true;
}

void Capture::note(const Submission& submission, std::shared_ptr<const RepeatableBody> body) {
  const std::string task = std::string("the task ") + submission.name;
  if (body == nullptr) return end("submits " + task + ", whose body may change what it has captured");
  if (submission.device.kind() != DeviceKind::cpu && submission.role != LaneRole::compute)
    return end("submits " + task + ", which copies to or from " + to_string(submission.device));
  if (captured_.tasks.empty()) captured_.device = submission.device;
  if (submission.device != captured_.device) return end("submits " + task + " to a second device");
  captured_.tasks.push_back({.body = std::move(body),
                             .name = submission.name,
                             .site = submission.site,
                             .priority = submission.priority,
                             .first_access = static_cast<std::uint32_t>(captured_.accesses.size()),
                             .access_count = static_cast<std::uint32_t>(submission.accesses.size())});
  for (const Access& access : submission.accesses) {
    if (access.buffer->device() != submission.device)
      return end("submits " + task + ", which uses memory of " + to_string(access.buffer->device()));
    std::int32_t box = -1;
    if (access.box != nullptr) {
      box = static_cast<std::int32_t>(captured_.boxes.size());
      captured_.boxes.push_back(*access.box);
    }
    captured_.accesses.push_back({slot_of(*access.buffer), access.mode, box});
  }
}

}  // namespace stretto
