#include "engine/recorder.h"

#include <stretto/base/error.h>

#include "base/mutation.h"
#include "base/prefetch.h"

namespace stretto {

Recorder::Recorder(Scheduler& scheduler, Task& task) : scheduler_(scheduler), task_(task), extended_(&task.extension) {}

void Recorder::begin(const Submission& submission, Task::Kind kind) {
  task_.sequence = scheduler_.count().next_sequence();
  task_.name = submission.name;
  task_.file = submission.site.file;
  task_.line = std::min(submission.site.line, Task::max_line);
  task_.device_kind = submission.device.kind();
  task_.device_index = static_cast<std::uint8_t>(submission.device.index());
  task_.role = submission.role;
  task_.kind = kind;
  task_.priority.store(submission.priority, std::memory_order_relaxed);
  task_.flags = submission.outside_effect ? Task::outside_effect : 0;
  const bool has_lane = kind == Task::Kind::normal || kind == Task::Kind::hold;
  if (has_lane && submission.device.kind() != DeviceKind::cpu) task_.flags |= Task::in_order;
  RecordedTask& recorded = scheduler_.slab().recorded(task_);
  recorded.kind = submission.device.kind();
  recorded.is_in_order = task_.is_in_order();
  recorded.priority = submission.priority;
  // What a task submits is part of it: whoever waits for all, waits for both.
  const ThreadState::Frame* frame = scheduler_.thread().frame;
  const int epoch = frame == nullptr ? scheduler_.count().epoch() : frame->task->epoch();
  scheduler_.count().submit(epoch);
  if (epoch == 1) task_.flags |= Task::odd_epoch;
  task_.state.store(0, std::memory_order_relaxed);
  task_.point.store(0, std::memory_order_relaxed);
  task_.link_count = 0;
  task_.access_count = 0;
  task_.successors.store(0, std::memory_order_relaxed);
  task_.issue_successors.store(task_.is_in_order() ? 0 : closed_list, std::memory_order_relaxed);
  if (trace::enabled()) [[unlikely]]
    begin_tracing();
}

void Recorder::access(const Access& access) {
  Buffer& buffer = *access.buffer;
  AccessMode mode = access.mode;
  if (!buffer.written_) {
    // The first access binds the memory, so it must be alone, even if it only reads (what nobody wrote).
    expect_memory(buffer);
    if (mode == AccessMode::read) mode = AccessMode::read_write;
  }
  const Box* box = access.box;
  if (box != nullptr && box->empty()) {
    // Ordered like an access to everything; but what was there before, stays.
    box = nullptr;
    if (mode == AccessMode::write && buffer.bytes_ > 0) mode = AccessMode::read_write;
  }
  buffer_ = &buffer;
  buffer.log_.access(box, mode, scheduler_.slab().reference(task_), *this);
}

void Recorder::expect_memory(Buffer& buffer) {
  if (buffer.written_) return;
  buffer.written_ = true;
  // What a task submits is part of it: the program's order says nothing of it and of what comes after the task.
  AllocationOrder& order = scheduler_.devices().known(buffer.device_.kind(), buffer.device_.index()).allocations;
  if (order.follows(buffer.bytes_) && scheduler_.thread().frame == nullptr) order.expect(buffer);
}

void Recorder::peek(Buffer& buffer, const Box* box) { buffer.log_.peek(box, {}, *this); }

namespace {

/// Of what a log tells, passes on whom to come after, and no failures.
class OrderAlone final : public AccessSink {
 public:
  explicit OrderAlone(AccessSink& sink) : sink_(sink) {}
  void after(TaskReference task, Hazard hazard) override {
    sink_.after(task, hazard == Hazard::read_after_write ? Hazard::write_after_write : hazard);
  }
  void reads_failed(const FailureReference&) override {}
  bool finished(TaskReference task) const override { return sink_.finished(task); }
  TaskReference join(std::span<const TaskReference> tasks) override { return sink_.join(tasks); }

 private:
  AccessSink& sink_;
};

/// Does what a log needs, and comes after nobody.
class NoOrder final : public AccessSink {
 public:
  explicit NoOrder(AccessSink& sink) : sink_(sink) {}
  void after(TaskReference, Hazard) override {}
  void reads_failed(const FailureReference&) override {}
  bool finished(TaskReference task) const override { return sink_.finished(task); }
  TaskReference join(std::span<const TaskReference> tasks) override { return sink_.join(tasks); }

 private:
  AccessSink& sink_;
};

/// No bytes order like all of them; but what was there before, stays.
Access with_bytes(Access access) {
  if (access.box == nullptr || !access.box->empty()) return access;
  access.box = nullptr;
  if (access.mode == AccessMode::write && access.buffer->bytes() > 0) access.mode = AccessMode::read_write;
  return access;
}

}  // namespace

void Recorder::follow(const Access& given, std::span<const Box> overwritten) {
  const Access access = with_bytes(given);
  const AccessLog& log = access.buffer->log_;
  if (overwritten.empty()) return log.peek_access(access.box, access.mode, *this);
  OrderAlone order(*this);
  log.peek_access(access.box, access.mode, order);
  log.peek(access.box, overwritten, *this);
}

void Recorder::enter(const Access& given) {
  const Access access = with_bytes(given);
  buffer_ = access.buffer;
  NoOrder sink(*this);
  access.buffer->log_.access(access.box, access.mode, scheduler_.slab().reference(task_), sink);
}

void Recorder::read_except(Buffer& buffer, const Box* box, std::span<const Box> overwritten) {
  buffer_ = &buffer;
  OrderAlone order(*this);
  buffer.log_.access(box, AccessMode::read, scheduler_.slab().reference(task_), order);
  buffer.log_.peek(box, overwritten, *this);
}

std::uintptr_t Recorder::Candidate::link_flags() const {
  const auto has = [this](Hazard hazard) { return (hazards & trace::hazards_of(hazard)) != 0; };
  return (has(Hazard::read_after_write) ? link_carries_value : 0) |
         (has(Hazard::write_after_read) ? link_after_read : 0) |
         (has(Hazard::write_after_write) ? link_after_write : 0);
}

void Recorder::after(TaskReference reference, Hazard hazard) {
  Task& other = scheduler_.slab().at(reference.slot);
  if (traced_ != nullptr) [[unlikely]]
    trace_edge(reference, hazard);
  if (!scheduler_.slab().holds(reference) || &other == &task_) return;
  add_predecessor(other, hazard);
}

void Recorder::add_predecessor(Task& predecessor, Hazard hazard) {
  for (std::size_t i = 0; i < count_; ++i) {
    Candidate& known = candidate(i);
    if (known.task != &predecessor) continue;
    known.hazards |= trace::hazards_of(hazard);
    return;
  }
  // Looked at once all accesses are recorded; until then its line comes from whoever made it ready.
  prefetch_for_write(&predecessor.successors);
  if (count_ < inline_candidates) {
    first_[count_] = {&predecessor, trace::hazards_of(hazard)};
  } else {
    more_.push_back({&predecessor, trace::hazards_of(hazard)});
  }
  ++count_;
}

void Recorder::reads_failed(const FailureReference& failure) {
  if (!failure_ || failure->sequence < failure_->sequence) failure_ = failure;
}

bool Recorder::finished(TaskReference reference) const {
  // The graph of the program has edges to what has ended, too.
  if (traced_ != nullptr) [[unlikely]]
    return false;
  const Task& other = scheduler_.slab().at(reference.slot);
  return !scheduler_.slab().holds(reference) || other.successors.load(std::memory_order_acquire) == closed_list;
}

TaskReference Recorder::join(std::span<const TaskReference> tasks) {
  Task& joined = *scheduler_.thread().take_task_while_recording();
  joined.invoke = nullptr;  // a slot keeps what its last task ran
  Recorder recorder(scheduler_, joined);
  recorder.begin({.name = "join", .device = Device(task_.device_kind, task_.device_index)}, Task::Kind::join);
  joined.invoke = nullptr;
  if (buffer_ != nullptr) {
    // It stands for writers of the buffer, perhaps: if one of them fails, that is noted in the buffer's log under the
    // join's name.
    joined.access_count = 1;
    joined.accesses[0] = reinterpret_cast<std::uintptr_t>(buffer_) | static_cast<std::uintptr_t>(AccessMode::write);
  }
  for (const TaskReference task : tasks) recorder.after(task, Hazard::read_after_write);
  const TaskReference reference = scheduler_.slab().reference(joined);
  if (recorder.is_traced()) [[unlikely]]
    recorder.tell_join();
  if (recorder.finish()) joins_.push_back(&joined);
  return reference;
}

Link& Recorder::link(int i, std::uintptr_t& flags) {
  if (i < Task::inline_links) return task_.links[i];
  flags |= link_in_extension;
  // Edges are tied in their order.
  while (i >= extended_from_ + Extension::capacity) {
    extended_ = &(*extended_)->next;
    extended_from_ += Extension::capacity;
  }
  if (*extended_ == nullptr) *extended_ = scheduler_.slab().extend(task_);
  return (*extended_)->links[i - extended_from_];
}

void Recorder::keep_predecessor(const Task& predecessor, Link& edge, int index) {
  const TaskReference reference = scheduler_.slab().reference(predecessor);
  if (index < Task::inline_links) {
    task_.predecessors[index] = reference;
  } else {
    auto* extension = reinterpret_cast<Extension*>(reinterpret_cast<std::uintptr_t>(&edge) & ~(alignof(Extension) - 1));
    extension->predecessors[&edge - extension->links] = reference;
  }
  task_.link_count = static_cast<std::uint32_t>(index) + 1;
}

bool Recorder::tie(const Candidate& candidate, int index) {
  Task& predecessor = *candidate.task;
  std::uintptr_t flags = candidate.link_flags();
  const RecordedTask& own = scheduler_.slab().recorded(task_);
  const RecordedTask& other = scheduler_.slab().recorded(predecessor);
  const bool wants_point = own.is_in_order || task_.kind == Task::Kind::release;
  if (wants_point) flags |= link_wants_point;
  const Priority priority = own.priority;
  Link& edge = link(index, flags);
  // In-order work is issued as soon as its in-order predecessors are issued, and memory is freed with them: their
  // points say what the device still has to wait for. Everything else waits until predecessors are complete.
  const bool reused_early = task_.kind == Task::Kind::release && is_broken(Mutation::host_buffer_reuse);
  const bool at_issue = wants_point && other.is_in_order && (other.kind == own.kind || reused_early);
  std::atomic<std::uintptr_t>& list = at_issue ? predecessor.issue_successors : predecessor.successors;
  if (at_issue && is_broken(Mutation::issue_order)) [[unlikely]] {
    task_.link_count = static_cast<std::uint32_t>(index);
    return false;
  }
  ThreadControl::step();
  std::uintptr_t head = list.load(std::memory_order_acquire);
  if (head != closed_list) keep_predecessor(predecessor, edge, index);
  // One that is tied at its issue is counted there, if the lane has to wait.
  if (head != closed_list && !at_issue && trace::counting_edges()) [[unlikely]]
    count_tied(candidate.hazards, predecessor, task_);
  while (head != closed_list) {
    edge.bits = head;
    if (list.compare_exchange_weak(head, reinterpret_cast<std::uintptr_t>(&edge) | flags, std::memory_order_acq_rel,
                                   std::memory_order_acquire)) {
      // If this was the last edge, the task may be running by now: it is not touched any more.
      if (other.priority > priority) scheduler_.raise_priority(predecessor, priority);
      return true;
    }
  }
  task_.link_count = static_cast<std::uint32_t>(index);
  if (at_issue) {
    // One that failed before it was issued has made nothing, not even memory.
    if (candidate.carries_value())
      if (const FailureReference failure = scheduler_.failure_of(predecessor)) scheduler_.fail(task_, failure);
    edge.bits = point_bits(Point::from_bits(predecessor.point.load(std::memory_order_acquire)), flags);
    keep_predecessor(predecessor, edge, index);
  }
  return false;
}

void Recorder::count_tied(trace::Hazards hazards, const Task& predecessor, const Task& successor) const {
  const TaskSlab& slab = scheduler_.slab();
  if (successor.kind == Task::Kind::wait) hazards = trace::hazards_of(Hazard::host_read);
  const bool is_between_lanes = predecessor.kind == Task::Kind::normal &&
                                (successor.kind == Task::Kind::normal || successor.kind == Task::Kind::wait);
  if (!is_between_lanes) return;
  const bool to_in_order = slab.recorded(successor).is_in_order;
  if (slab.recorded(predecessor).is_in_order) {
    trace::count_edge(hazards, to_in_order ? Crossing::device_to_device : Crossing::in_order_to_cpu);
  } else {
    trace::count_edge(hazards, to_in_order ? Crossing::cpu_to_in_order : Crossing::cpu_to_cpu);
  }
}

void Recorder::note_end() {
  if (scheduler_.thread().frame == nullptr) return;
  task_.state.store(Task::needed_at_exit, std::memory_order_relaxed);
  for (std::size_t i = 0; i < count_; ++i) scheduler_.need_at_exit(*candidate(i).task);
}

bool Recorder::tie_all(std::uint32_t held) {
  if (failure_) scheduler_.fail(task_, failure_);
  // Each edge counts before the first is tied, so the number reaches zero only when all are, and their tasks are done.
  task_.pending.store(static_cast<std::uint32_t>(count_) + held, std::memory_order_relaxed);
  std::uint32_t untied = 0;
  int index = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    if (tie(candidate(i), index)) {
      ++index;
    } else {
      ++untied;
      // A predecessor that was issued leaves its point in an edge.
      index = static_cast<int>(task_.link_count);
    }
  }
  if (untied == count_) {
    task_.pending.store(held, std::memory_order_release);
    return held == 0;
  }
  ThreadControl::step();
  return untied > 0 && task_.pending.fetch_sub(untied, std::memory_order_acq_rel) == untied;
}

bool Recorder::finish_hold() {
  if (traced_ != nullptr) [[unlikely]]
    tell_join();
  return tie_all(0);
}

void Recorder::finish_held() {
  if (traced_ != nullptr) [[unlikely]]
    tell_join();
  static_cast<void>(tie_all(1));
}

void Recorder::carry_out_joins() {
  for (Task* joined : joins_) scheduler_.carry_out(*joined);
}

}  // namespace stretto
