#include "engine/worker_replay.h"

#include <utility>

#include "engine/recorder.h"

namespace stretto {

WorkerReplay::WorkerReplay(Scheduler& scheduler, std::shared_ptr<const Template> replayed)
    : Replay(scheduler, std::move(replayed)),
      most_runners_(device_.workers->worker_count()),
      one_priority_(template_->count(Priority::normal) == template_->nodes().size()),
      awaited_(new std::atomic<std::uint32_t>[template_->nodes().size()]) {
  for (const Priority priority : {Priority::high, Priority::normal, Priority::low})
    queues_[static_cast<std::size_t>(priority)].nodes.resize(template_->count(priority));
  for (std::size_t node = 0; node < template_->nodes().size(); ++node)
    awaited_[node].store(template_->nodes()[node].arrivals, std::memory_order_relaxed);
}

void WorkerReplay::reset() {
  {
    const SpinLockGuard lock(queue_lock_);
    for (Queue& queue : queues_) queue.head = queue.tail = 0;
    queued_ = 0;
    runners_ = 1;
    blocked_ = 0;
    called_ = true;
  }
  remaining_.store(static_cast<std::int64_t>(template_->nodes().size() + template_->ports().size()) + 1,
                   std::memory_order_relaxed);
}

bool WorkerReplay::is_inside(const ThreadState& thread, const std::vector<bool>& nodes) {
  const SpinLockGuard lock(queue_lock_);
  return Replay::is_inside(first_runner_, thread, nodes);
}

// --- Ports
// ---------------------------------------------------------------------------------------------------------------

void WorkerReplay::open(std::uint32_t port) {
  const Template::Port& one = template_->ports()[port];
  fail_targets(port);
  ports_[port].open.store(true, std::memory_order_release);
  std::vector<std::uint32_t> ready;
  for (const std::uint32_t node : one.targets)
    if (arrive(node)) ready.push_back(node);
  if (!ready.empty()) push(ready);
  close(port);
}

void WorkerReplay::close(std::uint32_t port) {
  PortState& state = ports_[port];
  if (state.waits.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::int64_t writer = template_->ports()[port].writer;
  if (writer >= 0)
    if (const FailureReference failure = failure_of(static_cast<std::uint32_t>(writer)))
      scheduler_.fail(*state.task, failure);
  if (Work* next = scheduler_.complete(*state.task, nullptr)) scheduler_.dispatch(static_cast<Task&>(*next));
  leave(1);
}

// --- Runners
// -------------------------------------------------------------------------------------------------------------

void WorkerReplay::put(std::span<const std::uint32_t> nodes) {
  for (const std::uint32_t node : nodes) {
    Queue& queue = queues_[static_cast<std::size_t>(template_->nodes()[node].priority)];
    queue.nodes[queue.tail++] = node;
  }
  queued_ += static_cast<std::uint32_t>(nodes.size());
}

/// `none` where nothing is ready.
std::uint32_t WorkerReplay::take() {
  if (queued_ == 0) return none;
  --queued_;
  Queue* queue = queues_.data();
  while (queue->head == queue->tail) ++queue;
  return queue->nodes[queue->head++];
}

bool WorkerReplay::wants_runner() const { return !called_ && queued_ > 0 && runners_ - blocked_ < most_runners_; }

void WorkerReplay::push(std::span<const std::uint32_t> nodes) {
  bool calls = false;
  {
    const SpinLockGuard lock(queue_lock_);
    put(nodes);
    calls = wants_runner();
    if (calls) {
      called_ = true;
      ++runners_;
    }
  }
  if (calls) summon();
}

/// Sends a runner to the workers; when one takes it, is their affair.
void WorkerReplay::summon() {
  remaining_.fetch_add(1, std::memory_order_relaxed);
  Task& task = *scheduler_.thread().take_task(scheduler_.recording());
  place(task, none, [](Task& self, BodyContext* context) {
    static_cast<WorkerReplay&>(replay_of(self)).drain(self, context, true);
  });
  Recorder recorder(scheduler_, task);
  {
    const SpinLockGuard lock(scheduler_.recording());
    recorder.begin({.name = "replay", .site = site_, .device = template_->device(), .outside_effect = true},
                   Task::Kind::normal);
    // What a body submits is part of the replay: whoever waits for all that was submitted by then, waits for it.
    if (task.epoch() != epoch_) {
      scheduler_.count().withdraw(task.epoch());
      scheduler_.count().submit(epoch_);
      task.flags ^= Task::odd_epoch;
    }
    // Whether its nodes are needed, it asks itself.
    task.state.store(Task::needed_at_exit, std::memory_order_relaxed);
    static_cast<void>(recorder.finish());
  }
  scheduler_.dispatch(task);
}

void WorkerReplay::block(bool begins) {
  bool calls = false;
  {
    const SpinLockGuard lock(queue_lock_);
    blocked_ += begins ? 1 : -1;
    calls = wants_runner();
    if (calls) {
      called_ = true;
      ++runners_;
    }
  }
  if (calls) summon();
}

void WorkerReplay::begin(Task& task, BodyContext* context) {
  if (context == nullptr) abandon(scheduler_.failure_of(task));
  std::vector<std::uint32_t> ready;
  for (const std::uint32_t node : template_->roots())
    if (arrive(node)) ready.push_back(node);
  {
    const SpinLockGuard lock(queue_lock_);
    put(ready);
  }
  // What it bound is no access of the nodes that it runs.
  if (task.access_count > Task::inline_accesses) delete[] reinterpret_cast<std::uintptr_t*>(task.accesses[0]);
  task.access_count = 0;
  drain(task, context, true);
}

void WorkerReplay::drain(Task& task, BodyContext* context, bool was_called) {
  ThreadState& me = scheduler_.thread();
  Replay* const outer = std::exchange(me.replay, this);
  Runner runner{&task, nullptr};
  std::int64_t ran = 0;
  bool calls = false;
  {
    const SpinLockGuard lock(queue_lock_);
    if (was_called) called_ = false;
    runner.next = first_runner_;
    first_runner_ = &runner;
    // One was called; the others come one after the other, as long as there is more than one can do.
    calls = queued_ > 1 && wants_runner();
    if (calls) {
      called_ = true;
      ++runners_;
    }
  }
  if (calls) summon();
  const std::uint64_t forks = forks_at_claim();
  std::uint32_t node = none;
  while (forks == scheduler_.forks()) {
    ThreadControl::step();
    if (node == none || !one_priority_) {
      const SpinLockGuard lock(queue_lock_);
      // Another may be more urgent.
      if (node != none) put({&node, 1});
      node = take();
      if (node == none) {
        Runner** link = &first_runner_;
        while (*link != &runner) link = &(*link)->next;
        *link = runner.next;
        --runners_;
        break;
      }
    }
    node = run_node(runner, context, node);
    ++ran;
  }
  task.access_count = 0;
  me.replay = outer;
  // In the child of a node that forked nothing is left to be done.
  if (forks == scheduler_.forks()) leave(ran + 1);
}

/// Returns a node that is ready now, for the same runner.
std::uint32_t WorkerReplay::run_node(Runner& runner, BodyContext* context, std::uint32_t number) {
  const Template::Node& node = template_->nodes()[number];
  runner.node.store(number, std::memory_order_relaxed);
  // For the next replay. Nobody arrives again in this one.
  awaited_[number].store(node.arrivals, std::memory_order_relaxed);
  FailureReference failure;
  if (is_dropped()) [[unlikely]]
    failure = scheduler_.dropped();
  if (!failure && any_failed_.load(std::memory_order_acquire)) [[unlikely]]
    failure = failure_of(number);
  if (!failure) {
    failure = run_body(*runner.task, *context, node, number);
    if (failure) [[unlikely]] {
      tell_of(number, failure);
    }
  }
  runner.node.store(none, std::memory_order_relaxed);
  if (failure) [[unlikely]] {
    fail(number, failure);
    fail_readers(number, failure);
  }

  std::uint32_t next = none;
  std::uint32_t others[16];
  std::size_t other_count = 0;
  for (const std::uint32_t successor : template_->successors(node)) {
    if (!arrive(successor)) continue;
    if (next == none) {
      next = successor;
    } else {
      others[other_count++] = successor;
      if (other_count == std::size(others)) {
        push({others, other_count});
        other_count = 0;
      }
    }
  }
  if (other_count > 0) push({others, other_count});
  if (node.closes_ports)
    for (const std::uint32_t port : template_->ports_closed_by(number)) close(port);
  return next;
}

void WorkerReplay::leave(std::int64_t count) {
  if (remaining_.fetch_sub(count, std::memory_order_acq_rel) == count) end();
}

}  // namespace stretto
