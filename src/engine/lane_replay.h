#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "backend/lane.h"
#include "engine/replay.h"
#include "engine/segment_plan.h"

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

  LaneReplay(Scheduler& scheduler, std::shared_ptr<const Template> replayed, std::shared_ptr<const SegmentPlan> plan);

  /// Whose task this is: the one that begins, or a port's.
  static LaneReplay& of(const Task& task) { return static_cast<LaneReplay&>(replay_of(task)); }

  // For the launcher.
  const SegmentPlan& plan() const { return *plan_; }
  Executor& executor() { return *this; }
  std::span<Task* const> holds() const { return holds_; }
  /// Before nodes are issued: those that read what has failed will not run. False where none will.
  bool begin_nodes();
  Work& node(std::uint32_t number) { return nodes_[number]; }
  /// The launcher's, while the replay lasts.
  std::vector<Marked>& marked() { return marked_; }
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

  // Executor: of nodes.
  void execute(Work& work, KernelContext& context) override;
  const char* name(const Work& work) const override;
  Work* run(Work& work, KernelContext& context) override { return scheduler_.run(work, context); }
  Work& put_back(Work& work) override { return scheduler_.put_back(work); }
  bool run_urgent(KernelContext& context) override { return scheduler_.run_urgent(context); }
  void idle() override { scheduler_.idle(); }
  bool awaited() const override { return scheduler_.awaited(); }

  void set_up(Task& shell) const;

  const std::shared_ptr<const SegmentPlan> plan_;
  std::vector<Node> nodes_;
  std::vector<Marked> marked_;
  std::vector<Task*> holds_;
  std::atomic<std::int64_t> remaining_{0};  ///< Tasks that are not complete.
  SpinLock running_lock_;
  Runner* first_runner_ STRETTO_GUARDED_BY(running_lock_) = nullptr;
};

}  // namespace stretto
