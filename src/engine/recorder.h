#pragma once

#include <array>
#include <vector>

#include "engine/scheduler.h"
#include "trace/edge_counter.h"
#include "trace/recording.h"

namespace stretto {

/// Records one task: collects from the access logs what it comes after, and ties the edges. Used under the recording
/// lock, which is its caller's: thread-safety analysis cannot tell that it is the scheduler's.
class Recorder final : public AccessSink {
 public:
  Recorder(Scheduler& scheduler, Task& task);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() {
    if (traced_ != nullptr) [[unlikely]]
      traced_->resize(traced_from_);
  }

  /// Opens the task's slot for a new life; before any access. While a timeline is recorded, its edges are gathered from
  /// here on.
  void begin(const Submission& submission, Task::Kind kind);
  void access(const Access& access);
  /// Whom a reader of `box` comes after, without recording an access.
  void peek(Buffer& buffer, const Box* box);
  void add_predecessor(Task& predecessor, Hazard hazard);
  std::size_t predecessor_count() const { return count_; }
  const FailureReference& failure() const { return failure_; }
  /// Whom a wait is for, as a timeline tells it: the only task in its way, or several. Not without any.
  struct Awaited {
    const char* name = "";
    trace::TaskId id = 0;
  };
  Awaited awaited();
  /// The process is ending: what a task with outside effects submits is needed, and so is what that comes after.
  void note_end() STRETTO_NO_THREAD_SAFETY_ANALYSIS;
  /// Ties the edges. True when nothing is left to wait for: the caller dispatches the task after it let go of the lock.
  /// `held`: so many arrive at the task beside its predecessors.
  bool finish(std::uint32_t held = 0) { return tie_all(held); }
  /// The same for a task that is not done before somebody arrives at it beside its predecessors.
  void finish_held();
  /// Ties the edges of a hold. True when nothing is left to wait for: the caller carries it out once it let go of the
  /// lock.
  bool finish_hold();
  /// A read of `box` that fails with no part of it that lies in one of `overwritten`, after whose writers it comes,
  /// too. The buffer is one whose memory is expected.
  void read_except(Buffer& buffer, const Box* box, std::span<const Box> overwritten);
  /// The two halves of an access to a buffer whose memory is expected. First: the task comes after whom it has to, and
  /// nobody comes after it yet; of what lies in one of `overwritten`, no failures are its own.
  void follow(const Access& access, std::span<const Box> overwritten);
  /// Then: whoever comes later comes after the task.
  void enter(const Access& access);
  /// The buffer's memory is bound by somebody else: this access need not be alone.
  void expect_memory(Buffer& buffer);
  /// Tells the recording of the task, whose edges were gathered. It may be over already: it is not touched.
  void tell(const Submission& submission);
  /// Whether there is a recording to tell.
  bool is_traced() const { return traced_ != nullptr; }
  /// Carries out joins that had nothing left to wait for. After the caller let go of the lock.
  void carry_out_joins();
  /// Hands them over to a caller that does it later.
  std::vector<Task*> take_joins() { return std::move(joins_); }

  // AccessSink.
  void after(TaskReference task, Hazard hazard) override;
  void reads_failed(const FailureReference& failure) override;
  bool finished(TaskReference task) const override;
  TaskReference join(std::span<const TaskReference> tasks) override;

 private:
  struct Candidate {
    Task* task;
    trace::Hazards hazards;

    bool carries_value() const { return (hazards & trace::hazards_of(Hazard::read_after_write)) != 0; }
    std::uintptr_t link_flags() const;
  };
  static constexpr std::size_t inline_candidates = 16;

  Candidate& candidate(std::size_t i) { return i < inline_candidates ? first_[i] : more_[i - inline_candidates]; }
  Link& link(int i, std::uintptr_t& flags);
  void keep_predecessor(const Task& predecessor, Link& edge, int index);
  bool tie(const Candidate& candidate, int index) STRETTO_NO_THREAD_SAFETY_ANALYSIS;
  /// `held`: so many arrive at the task beside its predecessors.
  bool tie_all(std::uint32_t held);
  void begin_tracing();
  void trace_edge(TaskReference before, Hazard hazard);
  void tell_join();
  void count_tied(trace::Hazards hazards, const Task& predecessor, const Task& successor) const;

  Scheduler& scheduler_;
  Task& task_;
  std::size_t count_ = 0;
  std::array<Candidate, inline_candidates> first_;
  std::vector<Candidate> more_;
  // The extension that the last edge went to, and the number of its first edge.
  Extension** extended_;
  int extended_from_ = Task::inline_links;
  Buffer* buffer_ = nullptr;  ///< Whose access is being recorded.
  FailureReference failure_;
  std::vector<Task*> joins_;
  /// What the recording of a timeline is to know; null without one. Joins that are recorded meanwhile put their edges
  /// behind those of this task, and take them away again.
  std::vector<trace::Edge>* traced_ = nullptr;
  std::size_t traced_from_;
  trace::TaskKey key_;
  std::uint64_t id_;
  trace::Ticks submitted_;
};

}  // namespace stretto
