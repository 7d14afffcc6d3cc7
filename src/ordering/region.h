#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include <stretto/trace/edge_counts.h>

#include "base/mutation.h"
#include "ordering/failure.h"
#include "ordering/task_reference.h"

namespace stretto {

/// What an access log tells and asks while it records one access. The engine's recorder implements it.
class AccessSink {
 public:
  virtual ~AccessSink() = default;
  /// The accessing task comes after `task`. For a read after its write a failure is passed on.
  virtual void after(TaskReference task, Hazard hazard) = 0;
  /// The accessing task reads what a failed task should have written.
  virtual void reads_failed(const FailureReference& failure) = 0;
  virtual bool finished(TaskReference task) const = 0;
  /// One task that finishes after all of `tasks`, to stand for them.
  virtual TaskReference join(std::span<const TaskReference> tasks) = 0;
};

/// The readers of a region since its last write: two in place, more on the heap.
class ReaderList {
 public:
  ReaderList() = default;
  ReaderList(ReaderList&& other) noexcept { swap(other); }
  ReaderList& operator=(ReaderList&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ReaderList() {
    if (capacity_ > inline_capacity) delete[] storage_.heap;
  }

  bool empty() const { return count_ == 0; }
  std::span<const TaskReference> view() const { return {data(), count_}; }
  /// The newest reader; none when empty.
  TaskReference last() const { return count_ == 0 ? TaskReference() : data()[count_ - 1]; }
  void clear() { count_ = 0; }
  /// Adds a reader. A full list first forgets readers that have finished; one that keeps growing is replaced by a join.
  /// A task that reads several times in a row is named once, so that it never gets into a join that it may come after
  /// itself.
  void add(TaskReference reader, AccessSink& sink) {
    if (last() == reader) return;
    if (is_broken(Mutation::newest_reader)) [[unlikely]]
      clear();
    if (count_ < capacity_) {
      data()[count_++] = reader;
    } else {
      add_to_full(reader, sink);
    }
  }
  void remove_finished(const AccessSink& sink);

 private:
  static constexpr std::uint32_t inline_capacity = 2;
  static constexpr std::uint32_t join_capacity = 64;

  const TaskReference* data() const { return capacity_ > inline_capacity ? storage_.heap : storage_.inline_items; }
  TaskReference* data() { return capacity_ > inline_capacity ? storage_.heap : storage_.inline_items; }
  void add_to_full(TaskReference reader, AccessSink& sink);
  void swap(ReaderList& other) noexcept {
    std::swap(count_, other.count_);
    std::swap(capacity_, other.capacity_);
    std::swap(storage_, other.storage_);
  }

  union Storage {
    Storage() : inline_items{} {}
    TaskReference inline_items[inline_capacity];
    TaskReference* heap;
  };
  std::uint32_t count_ = 0;
  std::uint32_t capacity_ = inline_capacity;
  Storage storage_;
};

/// What is pending on one region of memory: its last writer, and the readers since.
struct Region {
  TaskReference writer;
  FailureReference failure;  ///< The last writer failed, or was skipped because of this.
  ReaderList readers;

  void read(TaskReference task, AccessSink& sink) {
    follow_writer(sink, true);
    readers.add(task, sink);
  }
  void write(TaskReference task, bool reads_first, AccessSink& sink) {
    depend_for_write(reads_first, sink);
    readers.clear();
    writer = task;
    failure = FailureReference();
  }

  void follow_writer(AccessSink& sink, bool carries_value) const {
    const Mutation broken = carries_value ? Mutation::read_after_write : Mutation::write_after_write;
    if (writer && !is_broken(broken))
      sink.after(writer, carries_value ? Hazard::read_after_write : Hazard::write_after_write);
    if (carries_value && failure) [[unlikely]]
      sink.reads_failed(failure);
  }
  void depend_for_write(bool reads_first, AccessSink& sink) const {
    // Readers come after the writer, so a pure write behind readers need not name the writer.
    if (reads_first || readers.empty()) follow_writer(sink, reads_first);
    if (is_broken(Mutation::write_after_read)) [[unlikely]]
      return;
    for (const TaskReference reader : readers.view()) sink.after(reader, Hazard::write_after_read);
  }
  /// Nothing to wait for and nothing to pass on. Forgets what has finished.
  bool settle(const AccessSink& sink) {
    if (writer && sink.finished(writer)) writer = {};
    readers.remove_finished(sink);
    return !writer && readers.empty() && !failure;
  }
};

}  // namespace stretto
