// How the nodes of a replay are run.

#include <utility>

#include "base/mutation.h"
#include "engine/recorder.h"
#include "engine/replay.h"
#include "engine/waiting.h"

namespace stretto {

void Replay::put(std::span<const std::uint32_t> nodes) {
  for (const std::uint32_t node : nodes) {
    Queue& queue = queues_[static_cast<std::size_t>(template_->nodes()[node].priority)];
    queue.nodes[queue.tail++] = node;
  }
  queued_ += static_cast<std::uint32_t>(nodes.size());
}

/// `none` where nothing is ready.
std::uint32_t Replay::take() {
  if (queued_ == 0) return none;
  --queued_;
  Queue* queue = queues_.data();
  while (queue->head == queue->tail) ++queue;
  return queue->nodes[queue->head++];
}

bool Replay::wants_runner() const { return !called_ && queued_ > 0 && runners_ - blocked_ < most_runners_; }

void Replay::push(std::span<const std::uint32_t> nodes) {
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
void Replay::summon() {
  remaining_.fetch_add(1, std::memory_order_relaxed);
  Task& task = *scheduler_.thread().take_task(scheduler_.recording());
  place(task, {this, none},
        [](Task& self, BodyContext* context) { place_of(self).replay->drain(self, context, true); });
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
    task.state.store(Task::needed_at_exit, std::memory_order_relaxed);
    static_cast<void>(recorder.finish());
  }
  scheduler_.dispatch(task);
}

void Replay::block(bool begins) {
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

void Replay::begin(Task& task, BodyContext* context) {
  if (context == nullptr) {
    const MutexLock lock(failing_);
    abandoned_ = scheduler_.failure_of(task);
    any_failed_.store(true, std::memory_order_release);
  }
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

void Replay::drain(Task& task, BodyContext* context, bool was_called) {
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
  const std::uint64_t forks = forks_.load(std::memory_order_relaxed);
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
std::uint32_t Replay::run_node(Runner& runner, BodyContext* context, std::uint32_t number) {
  const Template::Node& node = template_->nodes()[number];
  runner.node.store(number, std::memory_order_relaxed);
  // For the next replay. Nobody arrives again in this one.
  awaited_[number].store(node.arrivals, std::memory_order_relaxed);
  FailureReference failure;
  if (any_failed_.load(std::memory_order_acquire)) [[unlikely]]
    failure = failure_of(number);
  if (!failure) {
    failure = run_body(*runner.task, *context, node, number);
    if (failure) [[unlikely]]
      fail(number, failure);
  }
  runner.node.store(none, std::memory_order_relaxed);
  if (failure && !is_broken(Mutation::poison)) [[unlikely]]
    for (const std::uint32_t reader : template_->readers(number)) fail(reader, failure);

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

FailureReference Replay::run_body(Task& shell, BodyContext& context, const Template::Node& node, std::uint32_t number) {
  // While it runs, the runner's task is the node's: whatever looks at the task that a thread is inside of, sees that.
  shell.name = node.name;
  shell.file = node.file;
  shell.line = node.line;
  shell.sequence = first_sequence_ + number;
  shell.access_count = node.access_count;
  const std::span<const std::uint32_t> accesses = template_->accesses(node);
  std::uintptr_t* bound = shell.accesses;
  std::unique_ptr<std::uintptr_t[]> many;
  if (accesses.size() > Task::inline_accesses) [[unlikely]] {
    many.reset(new std::uintptr_t[accesses.size()]);
    bound = many.get();
    shell.accesses[0] = reinterpret_cast<std::uintptr_t>(bound);
  }
  for (std::size_t i = 0; i < accesses.size(); ++i)
    bound[i] = reinterpret_cast<std::uintptr_t>(buffers_[Template::slot_of_access(accesses[i])]) | (accesses[i] & 3);
  FailureReference failure;
  try {
    node.body->run(context, &seed_);
  } catch (...) {
    failure = scheduler_.current_failure(shell);
    scheduler_.failures().add(failure);
  }
  RunningBody& running = context.running();
  if (!running.readers.empty()) [[unlikely]] {
    await_readers(scheduler_, shell, running);
    running.readers.clear();
    FailureReference late = FailureReference::adopt(shell.failure.exchange(nullptr));
    if (late && late->sequence == shell.sequence) scheduler_.failures().add(late);
    if (late && !failure) failure = std::move(late);
  }
  shell.access_count = 0;
  return failure;
}

}  // namespace stretto
