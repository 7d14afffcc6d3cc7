#include "ordering/box_log.h"

#include <algorithm>
#include <bit>

#include "base/mutation.h"

namespace stretto {

std::uint32_t BoxLog::find(const Box& box) const {
  if (index_.empty()) return none;
  const std::size_t mask = index_.size() - 1;
  for (std::size_t at = box.hash() & mask;; at = (at + 1) & mask) {
    const std::uint32_t candidate = index_[at];
    if (candidate == none || entries_[candidate].box == box) return candidate;
  }
}

void BoxLog::access(const Box& box, AccessMode mode, TaskReference task, AccessSink& sink) {
  const std::uint32_t known = find(box);
  if (known != none && entries_[known].isolated) [[likely]] {
    Region& region = entries_[known].region;
    if (mode == AccessMode::read) {
      region.read(task, sink);
    } else {
      region.write(task, mode == AccessMode::read_write, sink);
    }
    return;
  }
  access_overlapping(box, mode, task, sink);
}

void BoxLog::access_overlapping(const Box& box, AccessMode mode, TaskReference task, AccessSink& sink) {
  bool isolated = true;
  for (std::size_t i = 0; i < entries_.size();) {
    Entry& entry = entries_[i];
    const bool same = entry.box == box;
    if (!same && (is_broken(Mutation::box_intersection) || !overlaps(entry.box, box))) {
      // Settled or not, it stays: a program that names a tile names it again, and then finds it by its hash.
      ++i;
      continue;
    }
    if (mode == AccessMode::read) {
      entry.region.follow_writer(sink, true);
    } else {
      entry.region.depend_for_write(mode == AccessMode::read_write, sink);
    }
    const bool superseded = !same && writes(mode) && contains(box, entry.box);
    if (superseded || (!same && entry.region.settle(sink))) {
      remove(i);
      continue;
    }
    if (!same) {
      entry.isolated = false;
      isolated = false;
    }
    ++i;
  }
  std::uint32_t own = find(box);
  if (own == none) {
    keep_within_limit(task, sink);
    own = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({box, Region{}, isolated});
    rebuild_index();
  } else {
    entries_[own].isolated = isolated;
  }
  Region& region = entries_[own].region;
  if (mode == AccessMode::read) {
    region.readers.add(task, sink);
  } else {
    region.readers.clear();
    region.writer = task;
    region.failure = FailureReference();
  }
}

void BoxLog::remove(std::size_t index) {
  if (index + 1 != entries_.size()) entries_[index] = std::move(entries_.back());
  entries_.pop_back();
  rebuild_index();
}

void BoxLog::rebuild_index() {
  // Only accesses that already looked at every box come here, so the rebuild adds nothing to their order of growth.
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(8, 2 * entries_.size()));
  index_.assign(slots, none);
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    std::size_t at = entries_[i].box.hash() & (slots - 1);
    while (index_[at] != none) at = (at + 1) & (slots - 1);
    index_[at] = i;
  }
}

void BoxLog::keep_within_limit(TaskReference task, AccessSink& sink) {
  const bool disjoint = std::ranges::all_of(entries_, [](const Entry& entry) { return entry.isolated; });
  const std::size_t limit = disjoint ? disjoint_limit : overlapping_limit;
  if (entries_.size() < limit) return;
  settle(sink);
  if (entries_.size() < limit) return;
  // What this very task has recorded so far cannot be part of a join: the task may come after that. A later task
  // merges.
  const auto is_own = [task](const Entry& entry) {
    return entry.region.writer == task || entry.region.readers.last() == task;
  };
  if (std::ranges::none_of(entries_, is_own)) merge(sink);
}

void BoxLog::merge(AccessSink& sink) {
  std::vector<TaskReference> writers;
  std::int64_t end = 0;
  Region merged;
  for (Entry& entry : entries_) {
    end = std::max(end, entry.box.end());
    if (entry.region.writer) writers.push_back(entry.region.writer);
    for (const TaskReference reader : entry.region.readers.view()) merged.readers.add(reader, sink);
    const FailureReference& failure = entry.region.failure;
    if (failure && (!merged.failure || failure->sequence < merged.failure->sequence)) merged.failure = failure;
  }
  if (!writers.empty()) {
    merged.writer = writers.size() == 1 ? writers.front() : sink.join(writers);
    // Those who read one box do not come after those who wrote another: who writes next must come after both.
    if (!merged.readers.empty()) merged.readers.add(merged.writer, sink);
  }
  entries_.clear();
  entries_.push_back({Box::whole(end), std::move(merged), false});
  rebuild_index();
}

void BoxLog::depend_on_all(AccessMode mode, AccessSink& sink) const {
  for (const Entry& entry : entries_) {
    if (mode == AccessMode::read) {
      entry.region.follow_writer(sink, true);
    } else {
      entry.region.depend_for_write(mode == AccessMode::read_write, sink);
    }
  }
}

void BoxLog::depend_for_write(const Box& box, AccessMode mode, AccessSink& sink) const {
  for (const Entry& entry : entries_) {
    const bool same = entry.box == box;
    if (!same && (is_broken(Mutation::box_intersection) || !overlaps(entry.box, box))) continue;
    entry.region.depend_for_write(mode == AccessMode::read_write, sink);
  }
}

void BoxLog::peek(const Box* box, std::span<const Box> except, AccessSink& sink) const {
  for (const Entry& entry : entries_) {
    if (box != nullptr && !overlaps(entry.box, *box)) continue;
    const bool is_left_out = std::ranges::any_of(except, [&](const Box& one) { return contains(one, entry.box); });
    if (!is_left_out) entry.region.follow_writer(sink, true);
  }
}

void BoxLog::mark_failed(TaskReference task, const FailureReference& failure) {
  for (Entry& entry : entries_)
    if (entry.region.writer == task) entry.region.failure = failure;
}

bool BoxLog::settle(const AccessSink& sink) {
  const std::size_t before = entries_.size();
  std::erase_if(entries_, [&](Entry& entry) { return entry.region.settle(sink); });
  if (entries_.size() != before) rebuild_index();
  return entries_.empty();
}

}  // namespace stretto
