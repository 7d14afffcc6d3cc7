#include "tensor/replay_difference.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include <stretto/base/error.h>

namespace stretto {
namespace {

std::string described(const Captured::Task& task) {
  const std::string operands = task.body->operands();
  return task.name + (operands.empty() ? std::string() : " of " + operands) + " at " + to_string(task.site);
}

/// Which tensor of the one call is which of the other.
class SameTensors {
 public:
  SameTensors(const Captured& recorded, const Captured& called)
      : recorded_(recorded), called_(called), slots_(recorded.slots.size(), none) {}

  /// What is wrong with these two accesses; empty where they are to the same part of the same tensor.
  std::string difference(const Captured::Access& recorded, const Captured::Access& called) {
    const Captured::Slot& before = recorded_.slots[recorded.slot];
    const Captured::Slot& now = called_.slots[called.slot];
    if (recorded.mode != called.mode || before.bytes != now.bytes || !same_part(recorded, called))
      return "another part of a tensor, or uses it in another way,";
    if (before.kind != now.kind) return "a tensor from elsewhere";
    if (before.kind == Captured::SlotKind::captured && before.buffer.get() != now.buffer.get())
      return "another tensor from outside";
    std::uint32_t& known = slots_[recorded.slot];
    if (known == none) known = called.slot;
    return known == called.slot ? "" : "another of its tensors";
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  bool same_part(const Captured::Access& recorded, const Captured::Access& called) const {
    if (recorded.box < 0 || called.box < 0) return recorded.box == called.box;
    return recorded_.boxes[static_cast<std::size_t>(recorded.box)] ==
           called_.boxes[static_cast<std::size_t>(called.box)];
  }

  const Captured& recorded_;
  const Captured& called_;
  std::vector<std::uint32_t> slots_;
};

bool same_statement(const Captured::Task& one, const Captured::Task& other) {
  return std::strcmp(one.name, other.name) == 0 && one.site.line == other.site.line &&
         std::strcmp(one.site.file, other.site.file) == 0 && one.priority == other.priority;
}

}  // namespace

std::string replay_difference(const Captured& recorded, const Captured& called) {
  SameTensors tensors(recorded, called);
  const std::size_t both = std::min(recorded.tasks.size(), called.tasks.size());
  for (std::size_t number = 0; number < both; ++number) {
    const Captured::Task& before = recorded.tasks[number];
    const Captured::Task& now = called.tasks[number];
    if (!same_statement(before, now) || before.body->operands() != now.body->operands())
      return "submits " + described(now) + ", and in its place the recorded call had " + described(before);
    if (const std::string other = now.body->difference(*before.body); !other.empty())
      return "submits " + described(now) + " with " + other + " than the recorded call";
    std::string wrong = before.access_count == now.access_count ? "" : "other tensors";
    for (std::uint32_t i = 0; wrong.empty() && i < now.access_count; ++i)
      wrong = tensors.difference(recorded.accesses[before.first_access + i], called.accesses[now.first_access + i]);
    if (!wrong.empty()) return "submits " + described(now) + ", which uses " + wrong + " than the recorded call";
  }
  if (called.tasks.size() > both)
    return "submits " + described(called.tasks[both]) + ", which the recorded call did not have";
  if (recorded.tasks.size() > both)
    return "does not submit " + described(recorded.tasks[both]) + ", which the recorded call had";
  return {};
}

}  // namespace stretto
