#pragma once

#include <memory>

#include <stretto/core/box.h>

#include "ordering/region.h"

namespace stretto {

class BoxLog;

/// The pending accesses of one storage: last writer and readers since, for the whole and for each box that is told
/// apart. RAW, WAR and WAW all come from here. Not thread-safe: the engine's recording lock guards every log.
///
/// Whole-storage accesses take the short path as long as no box was ever named, or all boxes have settled.
class AccessLog {
 public:
  AccessLog();
  ~AccessLog();

  /// Records that `task` accesses `box` (null: everything), and tells `sink` what it comes after.
  void access(const Box* box, AccessMode mode, TaskReference task, AccessSink& sink) {
    if (box == nullptr && boxes_ == nullptr) [[likely]] {
      if (mode == AccessMode::read) {
        whole_.read(task, sink);
      } else {
        whole_.write(task, mode == AccessMode::read_write, sink);
      }
      return;
    }
    access_box(box, mode, task, sink);
  }

  /// Tells `sink` whom a reader of `box` would come after, and records nothing. Left out are those who wrote what lies
  /// in one of the boxes of `except`.
  void peek(const Box* box, std::span<const Box> except, AccessSink& sink) const;

  /// Tells `sink` whom such an access would come after, and records nothing.
  void peek_access(const Box* box, AccessMode mode, AccessSink& sink) const;

  /// Tells `sink` whom a write of everything would come after, and records nothing.
  void peek_write(AccessSink& sink) const;

  /// `task`, a writer, failed: whoever reads what it was the last to write, reads a failure.
  void mark_failed(TaskReference task, const FailureReference& failure);

  /// Regions that are told apart besides the whole, for tests and diagnostics.
  std::size_t box_count() const;

 private:
  void access_box(const Box* box, AccessMode mode, TaskReference task, AccessSink& sink);

  Region whole_;
  std::unique_ptr<BoxLog> boxes_;
};

}  // namespace stretto
