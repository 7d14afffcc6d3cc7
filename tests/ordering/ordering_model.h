#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "ordering/access_log.h"

namespace stretto {

/// Stands in for the engine's recorder: remembers what the log says of each task, and plays the tasks' lives. Task i
/// lives in slot i; joins are tasks as well.
class FakeSink final : public AccessSink {
 public:
  /// With a log, joins that end with a failure are marked there, as the engine does.
  explicit FakeSink(AccessLog* log = nullptr) : log_(log) {}

  struct Task {
    std::set<std::uint32_t> after;        ///< All predecessors that the log named.
    std::set<std::uint32_t> values_from;  ///< Of these, those whose failure is passed on.
    std::set<std::uint64_t> failures;     ///< Numbers of earlier failures that it read.
    std::uint64_t failed = 0;             ///< The failure that it ended with; 0 when all went well.
    bool finished = false;
    bool joined = false;
  };

  /// The next task; `after` and so on tell of it from here on.
  TaskReference begin() {
    current_ = add(false);
    return {current_, 1};
  }
  std::uint32_t current() const { return current_; }
  const Task& task(std::uint32_t slot) const { return tasks_[slot]; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(tasks_.size()); }
  int joins() const { return joins_; }

  void after(TaskReference reference, Hazard hazard) override {
    if (reference.slot == current_) return;
    tasks_[current_].after.insert(reference.slot);
    if (hazard == Hazard::read_after_write) tasks_[current_].values_from.insert(reference.slot);
  }
  void reads_failed(const FailureReference& failure) override { tasks_[current_].failures.insert(failure->sequence); }
  bool finished(TaskReference reference) const override { return tasks_[reference.slot].finished; }
  TaskReference join(std::span<const TaskReference> tasks) override {
    ++joins_;
    const std::uint32_t slot = add(true);
    for (const TaskReference task : tasks) {
      tasks_[slot].after.insert(task.slot);
      tasks_[slot].values_from.insert(task.slot);
    }
    settle_joins();
    return {slot, 1};
  }

  /// Whether all predecessors of a task have finished, so that it may.
  bool may_finish(std::uint32_t slot) const {
    return !tasks_[slot].finished && !tasks_[slot].joined &&
           std::ranges::all_of(tasks_[slot].after, [&](std::uint32_t before) { return tasks_[before].finished; });
  }
  /// Ends a task; with a failure it is marked in the log before.
  void finish(std::uint32_t slot, std::uint64_t failure = 0) {
    end(slot, failure);
    settle_joins();
  }

  /// The unfinished tasks that come before `slot`, directly or not.
  std::set<std::uint32_t> all_before(std::uint32_t slot) const {
    return reach(slot, [](const Task& task) { return task.after; });
  }
  /// The unfinished tasks whose failure would reach `slot` directly, or through joins.
  std::set<std::uint32_t> all_values(std::uint32_t slot) const {
    std::set<std::uint32_t> found;
    std::vector<std::uint32_t> open{slot};
    while (!open.empty()) {
      const Task& task = tasks_[open.back()];
      open.pop_back();
      for (const std::uint32_t before : task.values_from) {
        if (tasks_[before].finished || !found.insert(before).second) continue;
        if (tasks_[before].joined) open.push_back(before);
      }
    }
    std::erase_if(found, [&](std::uint32_t one) { return tasks_[one].joined; });
    return found;
  }

 private:
  template <typename Edges>
  std::set<std::uint32_t> reach(std::uint32_t slot, Edges edges) const {
    std::set<std::uint32_t> found;
    std::vector<std::uint32_t> open{slot};
    while (!open.empty()) {
      const std::uint32_t from = open.back();
      open.pop_back();
      for (const std::uint32_t before : edges(tasks_[from]))
        if (!tasks_[before].finished && found.insert(before).second) open.push_back(before);
    }
    return found;
  }

  std::uint32_t add(bool joined) {
    tasks_.emplace_back().joined = joined;
    return count() - 1;
  }
  void end(std::uint32_t slot, std::uint64_t failure) {
    if (failure != 0 && log_ != nullptr)
      log_->mark_failed({slot, 1}, FailureReference(new Failure(std::exception_ptr(), failure)));
    tasks_[slot].failed = failure;
    tasks_[slot].finished = true;
  }
  void settle_joins() {
    // A join comes after tasks of lower slots only, joins among them.
    for (std::uint32_t slot = 0; slot < count(); ++slot) {
      const Task& task = tasks_[slot];
      if (!task.joined || task.finished) continue;
      std::uint64_t failure = 0;
      bool done = true;
      for (const std::uint32_t before : task.after) {
        done &= tasks_[before].finished;
        if (tasks_[before].failed != 0)
          failure = failure == 0 ? tasks_[before].failed : std::min(failure, tasks_[before].failed);
      }
      if (done) end(slot, failure);
    }
  }

  AccessLog* log_;
  std::vector<Task> tasks_;
  std::uint32_t current_ = 0;
  int joins_ = 0;
};

/// The meaning of accesses, byte by byte and without any cleverness.
class ByteModel {
 public:
  explicit ByteModel(std::size_t bytes) : bytes_(bytes) {}

  /// Adds to what a task that accesses these bytes must come after, and which writers' failures it must get.
  void access(const std::vector<std::size_t>& touched, AccessMode mode, std::uint32_t task) {
    for (const std::size_t at : touched) {
      Byte& byte = bytes_[at];
      if (byte.written) {
        if (byte.writer != task) must_follow_[task].insert(byte.writer);
        if (reads(mode) && byte.writer != task) must_get_values_of_[task].insert(byte.writer);
      }
      if (writes(mode))
        for (const std::uint32_t reader : byte.readers)
          if (reader != task) must_follow_[task].insert(reader);
    }
    for (const std::size_t at : touched) {
      Byte& byte = bytes_[at];
      if (writes(mode)) {
        byte.written = true;
        byte.writer = task;
        byte.readers.clear();
      } else {
        byte.readers.insert(task);
      }
    }
  }

  const std::set<std::uint32_t>& must_follow(std::uint32_t task) { return must_follow_[task]; }
  const std::set<std::uint32_t>& must_get_values_of(std::uint32_t task) { return must_get_values_of_[task]; }

 private:
  struct Byte {
    bool written = false;
    std::uint32_t writer = 0;
    std::set<std::uint32_t> readers;
  };
  std::vector<Byte> bytes_;
  std::map<std::uint32_t, std::set<std::uint32_t>> must_follow_;
  std::map<std::uint32_t, std::set<std::uint32_t>> must_get_values_of_;
};

}  // namespace stretto
