#include "engine/lane_replay.h"

#include <utility>

#include "engine/launcher.h"

namespace stretto {

LaneReplay::LaneReplay(Scheduler& scheduler, std::shared_ptr<const Template> replayed, std::shared_ptr<Segment> segment,
                       int number)
    : Replay(scheduler, std::move(replayed)),
      segment_(std::move(segment)),
      recorder_number_(number % recorder_count),
      recorded_(segment_, device_),
      nodes_(template_->nodes().size()),
      holds_(template_->ports().size()) {
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) nodes_[node].number = node;
}

LaneReplay::~LaneReplay() {
  if (is_known_) device_.launcher->remove_recorded(*this);
}

void LaneReplay::reset() {
  remaining_.store(1 + static_cast<std::int64_t>(template_->ports().size()), std::memory_order_relaxed);
}

void LaneReplay::open(std::uint32_t port) {
  holds_[port] = ports_[port].task;
  ports_[port].open.store(true, std::memory_order_release);
  arrive_at_begin();
}

bool LaneReplay::is_inside(const ThreadState& thread, const std::vector<bool>& nodes) {
  const SpinLockGuard lock(running_lock_);
  return Replay::is_inside(first_runner_, thread, nodes);
}

bool LaneReplay::begin_nodes() {
  launched_ = nullptr;
  if (scheduler_.failure_of(*begin_)) return false;
  for (std::uint32_t port = 0; port < template_->ports().size(); ++port) fail_targets(port);
  return true;
}

void LaneReplay::set_up(Task& shell) const {
  shell.device_kind = template_->device().kind();
  shell.device_index = static_cast<std::uint8_t>(template_->device().index());
  shell.flags = Task::in_order;
  if (epoch_ == 1) shell.flags |= Task::odd_epoch;
}

void LaneReplay::execute(Work& work, KernelContext& context) {
  const std::uint32_t number = static_cast<Node&>(work).number;
  FailureReference failure = is_dropped() ? scheduler_.dropped() : failure_of(number);
  if (!failure) {
    RunningBody running;
    failure = run_node(number, context, running);
  }
  if (!failure) [[likely]]
    return;
  fail(number, failure);
  fail_readers(number, failure);
}

FailureReference LaneReplay::run_node(std::uint32_t number, KernelContext& context, RunningBody& running) {
  const Template::Node& node = template_->nodes()[number];
  Task shell;
  set_up(shell);
  ThreadState& me = scheduler_.thread();
  ThreadState::Frame frame{&shell, me.frame, &running};
  Runner runner{&shell, nullptr};
  runner.node.store(number, std::memory_order_relaxed);
  {
    const SpinLockGuard lock(running_lock_);
    runner.next = first_runner_;
    first_runner_ = &runner;
  }
  me.frame = &frame;
  std::vector<std::byte*> addresses;
  if (launched_ != nullptr) addresses = recorded_addresses(node);
  BodyContext body(shell, context, running, launched_ != nullptr ? addresses.data() : nullptr);
  FailureReference failure = run_body(shell, body, node, number);
  me.frame = frame.outer;
  {
    const SpinLockGuard lock(running_lock_);
    Runner** link = &first_runner_;
    while (*link != &runner) link = &(*link)->next;
    *link = runner.next;
  }
  return failure;
}

const char* LaneReplay::name(const Work& work) const {
  return template_->nodes()[static_cast<const Node&>(work).number].name;
}

void LaneReplay::node_failed(std::uint32_t number, const std::exception_ptr& found) {
  const Template::Node& node = template_->nodes()[number];
  Task shell;
  set_up(shell);
  shell.name = node.name;
  shell.file = node.file;
  shell.line = node.line;
  shell.sequence = first_sequence_ + number;
  FailureReference failure;
  try {
    std::rethrow_exception(found);
  } catch (...) {
    failure = scheduler_.current_failure(shell);
  }
  fail(number, failure);
}

void LaneReplay::end_nodes() {
  const FailureReference of_all = scheduler_.failure_of(*begin_);
  if (of_all) abandon(of_all);
  const auto ports = static_cast<std::uint32_t>(template_->ports().size());
  for (std::uint32_t port = 0; port < ports; ++port) fail_targets(port);
  if (!any_failed_.load(std::memory_order_acquire)) return;
  // Those that read a value come after it.
  for (std::uint32_t node = 0; node < nodes_.size() && !of_all; ++node) {
    const FailureReference failure = failure_of(node);
    if (!failure) continue;
    // Only now: what it read may have failed first, which on a device nobody knew when it ran.
    tell_of(node, failure);
    fail_readers(node, failure);
  }
  for (std::uint32_t port = 0; port < ports; ++port) {
    const std::int64_t writer = template_->ports()[port].writer;
    if (writer < 0) continue;
    if (const FailureReference failure = failure_of(static_cast<std::uint32_t>(writer)))
      scheduler_.fail(*ports_[port].task, failure);
  }
}

std::span<Task* const> LaneReplay::fail_all(const FailureReference& failure) {
  for (Task* const hold : holds_) scheduler_.fail(*hold, failure);
  return holds_;
}

void LaneReplay::leave() {
  if (remaining_.fetch_sub(1, std::memory_order_acq_rel) == 1) end();
}

}  // namespace stretto
