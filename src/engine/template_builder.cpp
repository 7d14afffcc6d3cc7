#include "engine/template_builder.h"

#include <algorithm>
#include <unordered_map>

#include "base/mutation.h"
#include "engine/task.h"

namespace stretto {
namespace {

using SlotKind = Template::SlotKind;

// What tasks are in the logs: whoever was there before, as the last writer and as a reader since; then the nodes.
constexpr std::uint32_t nodes_generation = 1, joins_generation = 2;
constexpr TaskReference writer_before{0, nodes_generation}, reader_before{1, nodes_generation};
constexpr std::uint32_t first_node = 2;

// A search for a way from one node to another gives up after so many nodes: an edge too many does no harm.
constexpr std::size_t longest_search = 64;
// So many users of what a place held before are held against those of what it shall hold.
constexpr std::size_t most_users = 8;
// So many places are looked at for one temporary.
constexpr std::size_t most_places = 8;

}  // namespace

std::shared_ptr<const Template> Template::make(Captured captured, std::span<const std::uint32_t> results) {
  return TemplateBuilder(std::move(captured), results).build();
}

TemplateBuilder::TemplateBuilder(Captured captured, std::span<const std::uint32_t> results)
    : captured_(std::move(captured)), made_(new Template) {
  sort_slots(results);
  std::unordered_multimap<std::uint64_t, std::int32_t> known;
  for (std::int32_t number = 0; number < static_cast<std::int32_t>(captured_.boxes.size()); ++number) {
    const Box& box = captured_.boxes[number];
    std::int32_t part = number;
    const auto [begin, end] = known.equal_range(box.hash());
    for (auto entry = begin; entry != end; ++entry)
      if (captured_.boxes[entry->second] == box) part = entry->second;
    if (part == number) known.emplace(box.hash(), number);
    part_of_box_.push_back(part);
  }
}

std::shared_ptr<const Template> TemplateBuilder::build() {
  record_accesses();
  make_nodes();
  for (std::uint32_t slot = 0; slot < made_->slots_.size(); ++slot)
    if (made_->slots_[slot].kind != SlotKind::temporary && !uses_[slot].empty()) make_ports(slot);
  finish_ports();
  choose_places();
  // The task that begins a replay names all of these, so that they get their memory.
  if (made_->places_.size() + made_->made_results_ > Task::max_accesses) return nullptr;
  made_->device_ = captured_.device;
  made_->boxes_ = std::move(captured_.boxes);
  made_->argument_slots_ = std::move(captured_.argument_slots);
  made_->drawing_tasks_ = captured_.drawing_tasks;
  return std::move(made_);
}

void TemplateBuilder::sort_slots(std::span<const std::uint32_t> results) {
  std::vector<Template::Slot>& slots = made_->slots_;
  for (const Captured::Slot& noted : captured_.slots) {
    switch (noted.kind) {
      case Captured::SlotKind::argument:
        slots.push_back({.kind = SlotKind::argument, .buffer = noted.pinned ? noted.buffer : BufferReference()});
        break;
      case Captured::SlotKind::captured: slots.push_back({.kind = SlotKind::captured, .buffer = noted.buffer}); break;
      case Captured::SlotKind::made:
        slots.push_back({.kind = SlotKind::temporary, .buffer = {}, .bytes = noted.bytes});
        break;
    }
  }
  for (const std::uint32_t slot : results) {
    made_->result_slots_.push_back(slot);
    if (slots[slot].kind != SlotKind::temporary) continue;
    slots[slot].kind = SlotKind::result;
    slots[slot].number = made_->made_results_++;
  }
  uses_.resize(slots.size());
  logs_ = std::vector<AccessLog>(slots.size());
}

bool TemplateBuilder::is_outside(std::uint32_t slot) const {
  const SlotKind kind = made_->slots_[slot].kind;
  return kind == SlotKind::argument || kind == SlotKind::captured;
}

// --- Edges
// ---------------------------------------------------------------------------------------------------------------

void TemplateBuilder::after(TaskReference task, Hazard hazard) {
  if (task.generation == joins_generation) {
    for (const TaskReference joined : joins_[task.slot]) after(joined, hazard);
    return;
  }
  if (task.slot < first_node) {
    if (use_ == nullptr) return;
    use_->reads_outside |= hazard == Hazard::read_after_write;
    use_->follows_outside |= hazard != Hazard::read_after_write;
    return;
  }
  const std::uint32_t before = task.slot - first_node;
  if (before == node_ && use_ != nullptr) return;
  if (use_ == nullptr && hazard != Hazard::write_after_read) return;
  before_.push_back(before);
  if (use_ == nullptr) return;
  use_->is_first = false;
  if (hazard == Hazard::read_after_write) value_edges_.emplace_back(before, node_);
}

TaskReference TemplateBuilder::join(std::span<const TaskReference> tasks) {
  joins_.emplace_back(tasks.begin(), tasks.end());
  return {static_cast<std::uint32_t>(joins_.size()) - 1, joins_generation};
}

void TemplateBuilder::record_accesses() {
  for (std::uint32_t slot = 0; slot < logs_.size(); ++slot) {
    if (!is_outside(slot)) continue;
    logs_[slot].access(nullptr, AccessMode::write, writer_before, *this);
    logs_[slot].access(nullptr, AccessMode::read, reader_before, *this);
  }
  seen_.resize(captured_.tasks.size());
  for (std::uint32_t node = 0; node < captured_.tasks.size(); ++node) record_node(node);
}

void TemplateBuilder::record_node(std::uint32_t node) {
  node_ = node;
  before_.clear();
  const Captured::Task& task = captured_.tasks[node];
  const auto accesses = std::span(captured_.accesses).subspan(task.first_access, task.access_count);
  // As the engine does: what a task reads is what was there before it, also where it writes.
  for (const bool reading : {true, false}) {
    for (const Captured::Access& access : accesses) {
      if (reads(access.mode) != reading) continue;
      Use use{node, access.mode, access.box < 0 ? -1 : part_of_box_[access.box]};
      // The same rules as Recorder::access has: no bytes order like all of them and keep what was there, and the first
      // access of all is alone.
      if (use.box >= 0 && box(use.box)->empty()) {
        use.box = -1;
        if (use.mode == AccessMode::write && captured_.slots[access.slot].bytes > 0) use.mode = AccessMode::read_write;
      }
      if (use.mode == AccessMode::read && !is_outside(access.slot) && uses_[access.slot].empty())
        use.mode = AccessMode::read_write;
      record(access.slot, use);
    }
  }
  keep_predecessors();
}

void TemplateBuilder::record(std::uint32_t slot, Use use) {
  use_ = &use;
  logs_[slot].access(box(use.box), use.mode, {use.node + first_node, nodes_generation}, *this);
  use_ = nullptr;
  made_->slots_[slot].used = true;
  made_->slots_[slot].written |= writes(use.mode);
  uses_[slot].push_back(use);
}

std::span<const std::uint32_t> TemplateBuilder::predecessors(std::uint32_t node) const {
  return std::span(predecessors_)
      .subspan(first_predecessor_[node], first_predecessor_[node + 1] - first_predecessor_[node]);
}

/// Of `before_`, keeps those that no other is known to come after.
void TemplateBuilder::keep_predecessors() {
  std::ranges::sort(before_);
  const auto surplus = std::ranges::unique(before_);
  before_.erase(surplus.begin(), surplus.end());
  if (before_.size() > 1) {
    ++search_;
    const std::uint32_t earliest = before_.front();
    open_.assign(before_.begin(), before_.end());
    std::size_t looked_at = 0;
    while (!open_.empty() && looked_at++ < longest_search + before_.size()) {
      const std::uint32_t one = open_.back();
      open_.pop_back();
      for (const std::uint32_t earlier : predecessors(one)) {
        if (earlier < earliest || seen_[earlier] == search_) continue;
        seen_[earlier] = search_;
        open_.push_back(earlier);
      }
    }
    std::erase_if(before_, [this](std::uint32_t one) { return seen_[one] == search_; });
  }
  predecessors_.insert(predecessors_.end(), before_.begin(), before_.end());
  first_predecessor_.push_back(predecessors_.size());
}

/// Whether `node` is known to come after `earlier`.
bool TemplateBuilder::precedes(std::uint32_t earlier, std::uint32_t node) {
  if (earlier >= node) return false;
  ++search_;
  open_.assign(1, node);
  for (std::size_t looked_at = 0; !open_.empty() && looked_at < longest_search; ++looked_at) {
    const std::uint32_t one = open_.back();
    open_.pop_back();
    for (const std::uint32_t before : predecessors(one)) {
      if (before == earlier) return true;
      if (before < earlier || seen_[before] == search_) continue;
      seen_[before] = search_;
      open_.push_back(before);
    }
  }
  return false;
}

void TemplateBuilder::drop_an_edge() {
  const auto dropped = static_cast<std::ptrdiff_t>(predecessors_.size() / 2);
  if (predecessors_.empty()) return;
  predecessors_.erase(predecessors_.begin() + dropped);
  for (std::size_t& first : first_predecessor_)
    if (first > static_cast<std::size_t>(dropped)) --first;
}

void TemplateBuilder::make_nodes() {
  const std::size_t count = captured_.tasks.size();
  if (is_broken(Mutation::template_edge)) [[unlikely]]
    drop_an_edge();
  made_->nodes_.reserve(count);
  for (std::uint32_t node = 0; node < count; ++node) {
    Captured::Task& task = captured_.tasks[node];
    const auto before = static_cast<std::uint32_t>(predecessors(node).size());
    made_->nodes_.push_back({.body = task.body.get(),
                             .name = task.name,
                             .file = task.site.file,
                             .line = std::min(task.site.line, Task::max_line),
                             .first_access = task.first_access,
                             .access_count = task.access_count,
                             .first_successor = 0,
                             .successor_count = 0,
                             .arrivals = std::max(before, 1u),
                             .priority = task.priority,
                             .closes_ports = false});
    if (before == 0) made_->roots_.push_back(node);
    made_->bodies_.push_back(std::move(task.body));
  }
  std::vector<Template::Node>& nodes = made_->nodes_;
  for (const std::uint32_t before : predecessors_) ++nodes[before].successor_count;
  // Predecessors have smaller numbers.
  for (auto node = static_cast<std::uint32_t>(count); node-- > 0;) {
    ++made_->priority_counts_[static_cast<std::size_t>(nodes[node].priority)];
    for (const std::uint32_t before : predecessors(node))
      nodes[before].priority = std::min(nodes[before].priority, nodes[node].priority);
  }
  std::uint32_t end = 0;
  for (Template::Node& node : nodes) {
    node.first_successor = end;
    end += std::exchange(node.successor_count, 0);
  }
  made_->successors_.resize(predecessors_.size());
  for (std::uint32_t node = 0; node < count; ++node)
    for (const std::uint32_t before : predecessors(node))
      made_->successors_[nodes[before].first_successor + nodes[before].successor_count++] = node;
  for (const Captured::Access& access : captured_.accesses)
    made_->accesses_.push_back(Template::pack_access(access.slot, access.mode));
  made_->readers_ = Template::Lists::make(value_edges_);
}

// --- Places
// --------------------------------------------------------------------------------------------------------------

/// Whether all of `before` are known to be done when the first of `uses` begins.
bool TemplateBuilder::is_free_for(const std::vector<Use>& uses, const std::vector<Use>& before) {
  if (is_broken(Mutation::template_place)) [[unlikely]]
    return true;
  if (before.size() > most_users) return false;
  std::size_t firsts = 0;
  for (const Use& use : uses) {
    if (!use.is_first) continue;
    if (++firsts > most_users) return false;
    for (const Use& earlier : before)
      if (!precedes(earlier.node, use.node)) return false;
  }
  return true;
}

void TemplateBuilder::choose_places() {
  std::vector<std::uint32_t> order;
  for (std::uint32_t slot = 0; slot < made_->slots_.size(); ++slot)
    if (made_->slots_[slot].kind == SlotKind::temporary && !uses_[slot].empty()) order.push_back(slot);
  std::ranges::sort(order, {}, [&](std::uint32_t slot) { return uses_[slot].front().node; });
  std::vector<std::uint32_t> holds;  // of each place: the slot that it holds
  for (const std::uint32_t slot : order) {
    const std::size_t bytes = made_->slots_[slot].bytes;
    std::int64_t best = -1;
    std::size_t looked_at = 0;
    // Those whose last owner came last are the likeliest: a chain goes on with what it has just read.
    for (std::size_t place = holds.size(); place-- > 0 && looked_at < most_places;) {
      const std::size_t room = made_->places_[place];
      if (room < bytes || room / 2 > bytes) continue;
      ++looked_at;
      if (best >= 0 && room >= made_->places_[best]) continue;
      if (is_free_for(uses_[slot], uses_[holds[place]])) best = static_cast<std::int64_t>(place);
    }
    if (best < 0) {
      best = static_cast<std::int64_t>(holds.size());
      holds.push_back(slot);
      made_->places_.push_back(bytes);
    }
    holds[best] = slot;
    made_->slots_[slot].number = static_cast<std::uint32_t>(best);
  }
}

}  // namespace stretto
