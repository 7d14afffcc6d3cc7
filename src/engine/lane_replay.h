#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/lane.h"
#include "engine/recorded_segments.h"
#include "engine/replay.h"
#include "engine/segment.h"

namespace stretto {

/// A replay on the in-order lanes of a device. Its launcher issues all nodes at once, when what every port comes after
/// is issued; the ports are issued behind them, so that who comes later waits for the end of all.
///
/// The task that begins stands for the nodes: it is issued, and retires, before the ports.
class LaneReplay final : public Replay, private Executor {
 public:
  static constexpr std::uint32_t no_node = none;
  /// An event behind a node, or, without one, in front of them all.
  struct Marked {
    std::uint32_t node;
    std::uint32_t stream;
    Event* event;
  };

  /// `number`: of the template's replays.
  LaneReplay(Scheduler& scheduler, std::shared_ptr<const Template> replayed, std::shared_ptr<Segment> segment,
             int number);
  ~LaneReplay() override;

  /// Whose task this is: the one that begins, or a port's.
  static LaneReplay& of(const Task& task) { return static_cast<LaneReplay&>(replay_of(task)); }

  // For the launcher.
  const SegmentPlan& plan() const { return segment_->plan; }
  Executor& executor() { return *this; }
  std::span<Task* const> holds() const { return holds_; }
  /// Before nodes are issued: those that read what has failed will not run. False where none will.
  bool begin_nodes();
  Work& node(std::uint32_t number) { return nodes_[number]; }
  /// The launcher's, while the replay lasts.
  std::vector<Marked>& marked() { return marked_; }
  // What is launched in one go, all by the launcher's issuing thread but where it says otherwise.
  /// Before memory is bound to what `task`, which begins, accesses: binds results where they were when something was
  /// recorded, if what goes in is where it was then.
  void bind_where_recorded(const Task& task);
  /// What is to be launched in place of the nodes; null where they are to be issued. Stays so until the next replay,
  /// also for the thread that retires.
  RecordedSegment* choose_recorded();
  RecordedSegment* launched() const { return launched_.get(); }
  /// Whether the nodes, which have been issued, should be recorded for next time.
  bool wants_recording();
  /// The lane of a recorder for each branch, and what each waits for.
  const SegmentPlan& branches() const { return segment_->branches; }
  /// Which of a device's recorders records it.
  int recorder_number() const { return recorder_number_; }
  /// Between these two, nodes that are issued are recorded and not carried out. Returns what was recorded, for it to be
  /// made ready; null where it could not be: then it is not tried again.
  void begin_recording() { is_recording_ = true; }
  /// What is recorded is issued with this one, also at each launch: while something is recorded, the nodes themselves
  /// may be under way.
  Executor& recorded_executor() { return recorded_executor_; }
  std::shared_ptr<RecordedSegment> end_recording(WorkRecorder& recorder);
  /// Gives back what was recorded, but for what is under way.
  void forget_recorded();
  /// The device found this wrong in a node.
  void node_failed(std::uint32_t number, const std::exception_ptr& failure);
  /// All nodes have run, unless the task that begins has failed, and of each port it is known whether what comes in has
  /// failed: tells the ports that go out.
  void end_nodes();
  /// No node will run, nor will the ports be issued: the same failure is theirs. Returns those, for them to be
  /// completed.
  std::span<Task* const> fail_all(const FailureReference& failure);
  /// One of `1 + holds().size()` tasks is complete. Nothing of this object may be touched any more.
  void leave();

 private:
  struct Node : Work {
    std::uint32_t number = 0;
  };

  // Replay.
  void reset() override;
  void begin(Task& /*task*/, BodyContext* /*context*/) override {}
  void open(std::uint32_t port) override;
  std::uint32_t arrivals_at_begin() const override { return static_cast<std::uint32_t>(template_->ports().size()); }
  std::uint8_t flags_at_begin() const override { return Task::stands_for_nodes; }
  bool has_end() const override { return false; }
  bool ends_as_one() const override { return true; }
  bool is_inside(const ThreadState& thread, const std::vector<bool>& nodes) override;

  /// Of nodes that are recorded or have been.
  class RecordedExecutor final : public Executor {
   public:
    explicit RecordedExecutor(LaneReplay& replay) : replay_(replay) {}
    void execute(Work& work, KernelContext& context) override;
    const char* name(const Work& work) const override { return replay_.name(work); }
    Work* run(Work& work, KernelContext& context) override { return replay_.run(work, context); }
    Work& put_back(Work& work) override { return replay_.put_back(work); }
    bool run_urgent(KernelContext& context) override { return replay_.run_urgent(context); }
    void idle() override { replay_.idle(); }
    bool awaited() const override { return replay_.awaited(); }

   private:
    LaneReplay& replay_;
  };

  // Executor: of nodes.
  void execute(Work& work, KernelContext& context) override;
  const char* name(const Work& work) const override;
  Work* run(Work& work, KernelContext& context) override { return scheduler_.run(work, context); }
  Work& put_back(Work& work) override { return scheduler_.put_back(work); }
  bool run_urgent(KernelContext& context) override { return scheduler_.run_urgent(context); }
  void idle() override { scheduler_.idle(); }
  bool awaited() const override { return scheduler_.awaited(); }

  /// What was recorded runs bodies of the template.
  bool may_record() const { return segment_->records.load(std::memory_order_relaxed) && !has_own_bodies(); }
  void set_up(Task& shell) const;
  FailureReference run_node(std::uint32_t number, KernelContext& context, RunningBody& running);
  void record_node(std::uint32_t number, KernelContext& context);
  void refuse_recording(const std::string& why);
  /// Where the buffers are that a recording is good for.
  const RecordedSegments::Addresses& look_up_addresses();
  /// Of those, where results are.
  std::vector<std::byte*> results_in(const RecordedSegments::Addresses& addresses) const;
  /// Binds the results there; false, and leaves them, where not all of it is free.
  bool bind_results(const std::vector<std::byte*>& places, const Task& task);
  void note_results();
  /// Where a node's accesses were when what is launched was recorded.
  std::vector<std::byte*> recorded_addresses(const Template::Node& node) const;

  const std::shared_ptr<Segment> segment_;
  const int recorder_number_;
  RecordedSegments recorded_;
  bool is_known_ = false;  ///< To the launcher, as one that has something recorded.
  RecordedSegments::Addresses addresses_;
  std::shared_ptr<RecordedSegment> launched_;
  RecordedExecutor recorded_executor_{*this};
  bool is_recording_ = false;
  std::string recording_problem_;
  std::vector<Node> nodes_;
  std::vector<Marked> marked_;
  std::vector<Task*> holds_;
  std::atomic<std::int64_t> remaining_{0};  ///< Tasks that are not complete.
  SpinLock running_lock_;
  Runner* first_runner_ STRETTO_GUARDED_BY(running_lock_) = nullptr;
};

}  // namespace stretto
