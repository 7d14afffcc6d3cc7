#pragma once

#include <cstdint>
#include <vector>

#include <stretto/core/box.h>

#include "ordering/region.h"

namespace stretto {

/// The regions of one storage that are told apart by their boxes.
///
/// A box that meets no other box is found by its hash alone, so tiles of one tensor cost about as much as tensors of
/// their own. Any other access looks at all boxes, and forgets the settled ones on the way.
class BoxLog {
 public:
  /// Boxes kept while some overlap, and while none do. Beyond, all are merged into one region: later accesses are then
  /// ordered behind all of them, and a failure in one is a failure of the merged region. A task that names more boxes
  /// itself exceeds the limits until another task comes.
  static constexpr std::size_t overlapping_limit = 64;
  static constexpr std::size_t disjoint_limit = 1024;

  void access(const Box& box, AccessMode mode, TaskReference task, AccessSink& sink);
  /// An access to the whole storage depends on every box.
  void depend_on_all(AccessMode mode, AccessSink& sink) const;
  /// Whom a write of `box` would come after.
  void depend_for_write(const Box& box, AccessMode mode, AccessSink& sink) const;
  void peek(const Box* box, std::span<const Box> except, AccessSink& sink) const;
  void mark_failed(TaskReference task, const FailureReference& failure);
  /// Forgets what has finished. True when nothing is left.
  bool settle(const AccessSink& sink);
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Box box;
    Region region;
    bool isolated;  ///< Overlaps no other entry.
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::uint32_t find(const Box& box) const;
  void access_overlapping(const Box& box, AccessMode mode, TaskReference task, AccessSink& sink);
  void remove(std::size_t index);
  void keep_within_limit(TaskReference task, AccessSink& sink);
  void merge(AccessSink& sink);
  void rebuild_index();

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> index_;  ///< Open addressing by hash; a power of two, at most half full.
};

}  // namespace stretto
