#include "ordering/access_log.h"

#include "ordering/box_log.h"

namespace stretto {

AccessLog::AccessLog() = default;
AccessLog::~AccessLog() = default;

void AccessLog::access_box(const Box* box, AccessMode mode, TaskReference task, AccessSink& sink) {
  if (box != nullptr) {
    // The whole's state stays beneath the boxes: each box access comes after it, until it has settled.
    if (boxes_ == nullptr) boxes_ = std::make_unique<BoxLog>();
    if (mode == AccessMode::read) {
      whole_.follow_writer(sink, true);
    } else {
      whole_.depend_for_write(mode == AccessMode::read_write, sink);
    }
    if (whole_.writer && sink.finished(whole_.writer)) whole_.writer = {};
    if (mode != AccessMode::read && !whole_.readers.empty()) whole_.readers.remove_finished(sink);
    boxes_->access(*box, mode, task, sink);
    return;
  }
  boxes_->depend_on_all(mode, sink);
  if (mode == AccessMode::read) {
    whole_.read(task, sink);
    // Box writers stay: this reader does not hide them from later readers.
    if (boxes_->settle(sink)) boxes_.reset();
  } else {
    whole_.depend_for_write(mode == AccessMode::read_write, sink);
    whole_.readers.clear();
    whole_.writer = task;
    whole_.failure = FailureReference();
    boxes_.reset();
  }
}

void AccessLog::peek(const Box* box, std::span<const Box> except, AccessSink& sink) const {
  whole_.follow_writer(sink, true);
  if (boxes_ != nullptr) boxes_->peek(box, except, sink);
}

void AccessLog::peek_access(const Box* box, AccessMode mode, AccessSink& sink) const {
  if (mode == AccessMode::read) return peek(box, {}, sink);
  whole_.depend_for_write(mode == AccessMode::read_write, sink);
  if (boxes_ == nullptr) return;
  if (box == nullptr) {
    boxes_->depend_on_all(mode, sink);
  } else {
    boxes_->depend_for_write(*box, mode, sink);
  }
}

void AccessLog::peek_write(AccessSink& sink) const {
  whole_.depend_for_write(false, sink);
  if (boxes_ != nullptr) boxes_->depend_on_all(AccessMode::write, sink);
}

void AccessLog::mark_failed(TaskReference task, const FailureReference& failure) {
  if (whole_.writer == task) whole_.failure = failure;
  if (boxes_ != nullptr) boxes_->mark_failed(task, failure);
}

std::size_t AccessLog::box_count() const { return boxes_ == nullptr ? 0 : boxes_->size(); }

}  // namespace stretto
