// What ties a template to the program around it: the ports of each buffer.

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/mutation.h"
#include "engine/template_builder.h"

namespace stretto {
namespace {

// Whether one part of a buffer covers another is asked as long as it has no more parts than this.
constexpr std::size_t most_compared = 64;

}  // namespace

bool TemplateBuilder::covers(std::int32_t one, std::int32_t other) const {
  return one < 0 || (other >= 0 && contains(*box(one), *box(other)));
}

std::uint32_t TemplateBuilder::add_port(std::uint32_t slot, AccessMode mode) {
  made_->ports_.push_back({.slot = slot, .mode = mode, .boxes = {}, .targets = {}, .overwritten = {}});
  return static_cast<std::uint32_t>(made_->ports_.size()) - 1;
}

void TemplateBuilder::add_closer(std::uint32_t port, std::uint32_t node) { closers_.emplace_back(node, port); }

/// Writes that no later one covers, in their order.
std::vector<const TemplateBuilder::Use*> TemplateBuilder::last_writes(std::uint32_t slot) const {
  std::unordered_map<std::int32_t, const Use*> last;  // of each part
  for (const Use& use : uses_[slot]) {
    if (!writes(use.mode)) continue;
    if (use.box < 0) {
      last.clear();
    } else if (last.size() <= most_compared && !last.contains(use.box)) {
      std::erase_if(last, [&](const auto& earlier) { return covers(use.box, earlier.first); });
    }
    last[use.box] = &use;
  }
  std::vector<const Use*> in_order;
  for (const auto& [box, use] : last) in_order.push_back(use);
  std::ranges::sort(in_order);
  return in_order;
}

/// Nodes that read the buffer, and that no writer inside comes after.
std::vector<std::uint32_t> TemplateBuilder::last_readers(std::uint32_t slot) {
  before_.clear();
  logs_[slot].peek_write(*this);
  std::ranges::sort(before_);
  const auto surplus = std::ranges::unique(before_);
  before_.erase(surplus.begin(), surplus.end());
  return before_;
}

/// Of the parts that were written, those that meet `part`.
std::vector<std::int32_t> TemplateBuilder::overwritten(std::int32_t part, std::span<const std::int32_t> written) const {
  std::vector<std::int32_t> found;
  for (const std::int32_t one : written)
    if (part < 0 || overlaps(*box(part), *box(one))) found.push_back(one);
  return found;
}

/// Whether all nodes change one and the same part: the first alone meets who used it before, and if what that reads has
/// failed, so has what the last one writes.
bool TemplateBuilder::is_changed_in_turn(const std::vector<Use>& uses) {
  return std::ranges::all_of(
      uses, [&](const Use& use) { return use.mode == AccessMode::read_write && use.box == uses.front().box; });
}

void TemplateBuilder::make_ports(std::uint32_t slot) {
  const std::vector<Use>& uses = uses_[slot];
  if (is_changed_in_turn(uses)) {
    const std::uint32_t port = add_port(slot, AccessMode::read_write);
    made_->ports_[port].boxes.push_back(uses.front().box);
    made_->ports_[port].carries_value = true;
    made_->ports_[port].targets.push_back(uses.front().node);
    made_->ports_[port].writer = uses.back().node;
    add_closer(port, uses.back().node);
    return;
  }
  const bool written = made_->slots_[slot].written;
  const std::vector<std::uint32_t> readers = last_readers(slot);

  // What comes in: a reader for each part, so that a failure meets only those who read that part.
  std::map<std::pair<std::int32_t, std::vector<std::int32_t>>, std::uint32_t> ports_in;
  const auto incoming = [&](std::int32_t part, std::span<const std::int32_t> before) {
    auto except = overwritten(part, before);
    const auto [entry, is_new] =
        ports_in.try_emplace(std::pair(part, except), static_cast<std::uint32_t>(made_->ports_.size()));
    if (is_new) {
      add_port(slot, AccessMode::read);
      made_->ports_.back().carries_value = true;
      made_->ports_.back().boxes.push_back(part);
      for (const std::int32_t one : except) made_->ports_.back().overwritten.push_back(*box(one));
    }
    return entry->second;
  };
  std::vector<std::int32_t> written_before;
  for (const Use& use : uses) {
    if (use.reads_outside) made_->ports_[incoming(use.box, written_before)].targets.push_back(use.node);
    if (writes(use.mode) && use.box >= 0 && std::ranges::count(written_before, use.box) == 0)
      written_before.push_back(use.box);
  }
  if (!written) {
    // Whoever writes it later waits for these readers alone.
    for (const Use& use : uses)
      if (std::ranges::binary_search(readers, use.node)) add_closer(incoming(use.box, {}), use.node);
    return;
  }

  // The turn of those who write: when whoever used the buffer before is done.
  std::int64_t start = -1;
  std::unordered_set<std::int32_t> parts;
  for (const Use& use : uses) {
    if (!use.follows_outside) continue;
    if (start < 0) start = add_port(slot, AccessMode::write);
    if (parts.insert(use.box).second) made_->ports_[start].boxes.push_back(use.box);
    made_->ports_[start].targets.push_back(use.node);
  }
  make_outgoing_ports(slot, start);

  // Later writers wait for those who still read what goes out.
  if (readers.empty()) return;
  const std::uint32_t hold = add_port(slot, AccessMode::read);
  parts.clear();
  for (const Use& use : uses) {
    if (!std::ranges::binary_search(readers, use.node) || use.mode == AccessMode::write) continue;
    if (parts.insert(use.box).second) made_->ports_[hold].boxes.push_back(use.box);
    add_closer(hold, use.node);
  }
}

/// What goes out: a writer for each node that was the last to write some part.
void TemplateBuilder::make_outgoing_ports(std::uint32_t slot, std::int64_t start) {
  const std::vector<const Use*> last = last_writes(slot);
  // Where all write the same part, the port that they wait for can be the one that goes out, too.
  const bool one_part = last.size() == 1 && start >= 0 && made_->ports_[start].boxes.size() == 1 &&
                        made_->ports_[start].boxes.front() == last.front()->box;
  std::int64_t port = one_part ? start : -1;
  for (const Use* use : last) {
    if (port < 0 || (!one_part && made_->ports_[port].writer != use->node)) port = add_port(slot, AccessMode::write);
    if (!one_part) made_->ports_[port].boxes.push_back(use->box);
    made_->ports_[port].writer = use->node;
    add_closer(static_cast<std::uint32_t>(port), use->node);
  }
}

void TemplateBuilder::finish_ports() {
  made_->closed_ports_ = Template::Lists::make(closers_);
  for (const auto& [node, port] : closers_) {
    made_->nodes_[node].closes_ports = true;
    ++made_->ports_[port].closers;
  }
  if (is_broken(Mutation::template_port) && !made_->ports_.empty()) [[unlikely]]
    made_->ports_.front().targets.clear();
  for (Template::Port& port : made_->ports_) {
    std::ranges::sort(port.targets);
    const auto surplus = std::ranges::unique(port.targets);
    port.targets.erase(surplus.begin(), surplus.end());
    for (const std::uint32_t target : port.targets) ++made_->nodes_[target].arrivals;
  }
}

}  // namespace stretto
