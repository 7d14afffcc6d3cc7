#include "engine/replay.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/mutation.h"
#include "engine/recorder.h"

namespace stretto {

Replay::Replay(Scheduler& scheduler, std::shared_ptr<const Template> replayed)
    : scheduler_(scheduler),
      template_(std::move(replayed)),
      device_(scheduler.devices().at(template_->device())),
      most_runners_(device_.workers->worker_count()),
      one_priority_(template_->count(Priority::normal) == template_->nodes().size()),
      buffers_(template_->slots().size()),
      awaited_(new std::atomic<std::uint32_t>[template_->nodes().size()]),
      ports_(new PortState[template_->ports().size()]) {
  for (const Priority priority : {Priority::high, Priority::normal, Priority::low})
    queues_[static_cast<std::size_t>(priority)].nodes.resize(template_->count(priority));
  for (std::size_t node = 0; node < template_->nodes().size(); ++node)
    awaited_[node].store(template_->nodes()[node].arrivals, std::memory_order_relaxed);
  device_.replay_bytes.fetch_add(template_->place_bytes(), std::memory_order_relaxed);
  for (const std::size_t bytes : template_->places())
    places_.push_back(BufferReference::adopt(new Buffer(template_->device(), bytes)));
  for (std::size_t slot = 0; slot < buffers_.size(); ++slot) {
    const Template::Slot& one = template_->slots()[slot];
    if (one.kind == Template::SlotKind::captured) buffers_[slot] = one.buffer.get();
    if (one.kind == Template::SlotKind::temporary && !places_.empty()) buffers_[slot] = places_[one.number].get();
  }
}

Replay::~Replay() {
  device_.replay_bytes.fetch_sub(template_->place_bytes(), std::memory_order_relaxed);
  // Somebody may be looking behind a task of its last replay.
  const SpinLockGuard lock(scheduler_.recording());
}

bool Replay::claim() {
  if (busy_.exchange(true, std::memory_order_acquire)) return false;
  forks_.store(scheduler_.forks(), std::memory_order_relaxed);
  return true;
}

bool Replay::is_lost() const {
  return busy_.load(std::memory_order_acquire) && forks_.load(std::memory_order_relaxed) != scheduler_.forks();
}

// --- Submission
// ----------------------------------------------------------------------------------------------------------

bool Replay::prepare(const Call& call) {
  const Template& replayed = *template_;
  for (std::size_t argument = 0; argument < call.arguments.size(); ++argument)
    buffers_[replayed.argument_slot(argument)] = call.arguments[argument];
  if (is_broken(Mutation::template_argument) && !call.arguments.empty()) [[unlikely]] {
    // Never one buffer in two slots: their ports would wait for each other.
    if (unpatched_ && std::ranges::count(buffers_, unpatched_.get()) == 0) {
      buffers_[replayed.argument_slot(0)] = unpatched_.get();
    } else {
      unpatched_ = BufferReference::share(*call.arguments[0]);
    }
  }
  unbound_.clear();
  for (std::size_t slot = 0; slot < buffers_.size(); ++slot) {
    const Template::Slot& one = replayed.slots()[slot];
    if (one.kind == Template::SlotKind::result) buffers_[slot] = call.results[one.number];
    // What no node uses may be gone when the replay begins.
    if (!one.used || one.kind == Template::SlotKind::temporary) continue;
    if (!Scheduler::is_bound(*buffers_[slot])) unbound_.push_back(buffers_[slot]);
  }
  for (const BufferReference& place : places_)
    if (!Scheduler::is_bound(*place)) unbound_.push_back(place.get());
  return unbound_.size() <= Task::max_accesses;
}

void Replay::submit(const Call& call, std::shared_ptr<const void> keep) {
  keep_ = std::move(keep);
  seed_ = call.seed;
  site_ = call.site;
  const std::vector<Template::Port>& ports = template_->ports();
  for (std::size_t port = 0; port < ports.size(); ++port)
    ports_[port].waits.store(ports[port].closers + 1, std::memory_order_relaxed);
  any_failed_.store(false, std::memory_order_relaxed);
  {
    const SpinLockGuard lock(queue_lock_);
    for (Queue& queue : queues_) queue.head = queue.tail = 0;
    queued_ = 0;
    runners_ = 1;
    blocked_ = 0;
    called_ = true;
  }
  remaining_.store(static_cast<std::int64_t>(template_->nodes().size() + ports.size()) + 1, std::memory_order_relaxed);
  record(call);
}

void Replay::place(Task& task, const Place& place, Task::Invoke invoke) {
  new (task.closure) Place(place);
  task.invoke = invoke;
}

const Replay::Place& Replay::place_of(Task& task) {
  return *std::launder(reinterpret_cast<const Place*>(task.closure));
}

void Replay::record(const Call& call) {
  ThreadState& me = scheduler_.thread();
  // What is pending when the process ends runs to its end as a whole.
  const Submission submission{
      .name = call.name, .site = call.site, .device = template_->device(), .outside_effect = true};
  Task& beginning = *me.take_task(scheduler_.recording());
  place(beginning, {this, none}, [](Task& self, BodyContext* context) { place_of(self).replay->begin(self, context); });
  std::uintptr_t* accesses =
      unbound_.size() <= Task::inline_accesses ? beginning.accesses : new std::uintptr_t[unbound_.size()];
  for (std::size_t i = 0; i < unbound_.size(); ++i)
    accesses[i] = reinterpret_cast<std::uintptr_t>(unbound_[i]) | static_cast<std::uintptr_t>(AccessMode::read_write);
  if (accesses != beginning.accesses) beginning.accesses[0] = reinterpret_cast<std::uintptr_t>(accesses);
  std::vector<Task*> joins;
  std::vector<Task*> ready;
  {
    // Under one hold of the lock: of two replays that share tensors, one comes before the other in all of them.
    const SpinLockGuard lock(scheduler_.recording());
    Recorder recorder(scheduler_, beginning);
    recorder.begin(submission, Task::Kind::normal);
    beginning.access_count = static_cast<std::uint32_t>(unbound_.size());
    epoch_ = beginning.epoch();
    for (Buffer* const buffer : unbound_) recorder.expect_memory(*buffer);
    static_cast<void>(recorder.finish());
    first_sequence_ = scheduler_.count().next_sequences(template_->nodes().size());
    // Not before: who still looks behind a task of the last replay must not see ports of this one, nor their old tasks.
    for (std::uint32_t port = 0; port < template_->ports().size(); ++port)
      ports_[port].open.store(false, std::memory_order_relaxed);
    for (std::uint32_t port = 0; port < template_->ports().size(); ++port) record_hold(submission, port, joins, ready);
    std::vector<Task*> ends;  // waits for nobody, and is not carried out
    record_hold(submission, none, joins, ends);
  }
  ThreadControl::step();
  for (Task* const task : joins) scheduler_.carry_out(*task);
  for (Task* const task : ready) scheduler_.carry_out(*task);
  scheduler_.dispatch(beginning);
}

void Replay::record_hold(const Submission& submission, std::uint32_t port, std::vector<Task*>& joins,
                         std::vector<Task*>& ready) {
  Task& task = *scheduler_.thread().take_task_while_recording();
  place(task, {this, port}, [](Task& self, BodyContext*) { place_of(self).replay->open(place_of(self).port); });
  Recorder recorder(scheduler_, task);
  recorder.begin(submission, Task::Kind::hold);
  // Once its edges are tied it may be carried out at any moment.
  (port == none ? end_ : ports_[port].task) = &task;
  if (port != none) {
    const Template::Port& one = template_->ports()[port];
    Buffer& buffer = *buffers_[one.slot];
    task.access_count = 1;
    task.accesses[0] = reinterpret_cast<std::uintptr_t>(&buffer) | static_cast<std::uintptr_t>(one.mode);
    recorder.expect_memory(buffer);
    for (const std::int32_t number : one.boxes) {
      const Box* const box = number < 0 ? nullptr : &template_->boxes()[number];
      if (one.overwritten.empty()) {
        recorder.access({&buffer, box, one.mode});
      } else {
        recorder.read_except(buffer, box, one.overwritten);
      }
    }
  }
  if (recorder.finish_hold()) ready.push_back(&task);
  for (Task* const join : recorder.take_joins()) joins.push_back(join);
}

// --- Ports
// ---------------------------------------------------------------------------------------------------------------

void Replay::open(std::uint32_t port) {
  const Template::Port& one = template_->ports()[port];
  PortState& state = ports_[port];
  if (one.carries_value) {
    if (const FailureReference failure = scheduler_.failure_of(*state.task); failure && !is_broken(Mutation::poison))
      for (const std::uint32_t node : one.targets) fail(node, failure);
  }
  state.open.store(true, std::memory_order_release);
  std::vector<std::uint32_t> ready;
  for (const std::uint32_t node : one.targets)
    if (arrive(node)) ready.push_back(node);
  if (!ready.empty()) push(ready);
  close(port);
}

void Replay::close(std::uint32_t port) {
  PortState& state = ports_[port];
  if (state.waits.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::int64_t writer = template_->ports()[port].writer;
  if (writer >= 0)
    if (const FailureReference failure = failure_of(static_cast<std::uint32_t>(writer)))
      scheduler_.fail(*state.task, failure);
  if (Work* next = scheduler_.complete(*state.task, nullptr)) scheduler_.dispatch(static_cast<Task&>(*next));
  leave(1);
}

// --- Failures and the end
// ------------------------------------------------------------------------------------------------

void Replay::fail(std::uint32_t node, const FailureReference& failure) {
  const MutexLock lock(failing_);
  FailureReference& known = failures_[node];
  if (!known || failure->sequence < known->sequence) known = failure;
  any_failed_.store(true, std::memory_order_release);
}

FailureReference Replay::failure_of(std::uint32_t node) {
  if (!any_failed_.load(std::memory_order_acquire)) [[likely]]
    return {};
  const MutexLock lock(failing_);
  if (abandoned_) return abandoned_;
  const auto found = failures_.find(node);
  return found == failures_.end() ? FailureReference() : found->second;
}

void Replay::leave(std::int64_t count) {
  if (remaining_.fetch_sub(count, std::memory_order_acq_rel) == count) finish();
}

void Replay::finish() {
  if (any_failed_.load(std::memory_order_acquire)) {
    const MutexLock lock(failing_);
    failures_.clear();
    abandoned_ = {};
  }
  Task& end = *end_;
  // It may be the last to keep this object.
  const std::shared_ptr<const void> keep = std::move(keep_);
  // Whoever finds this one pending finds the replay that it ends, not the next.
  Work* const next = scheduler_.complete(end, nullptr);
  busy_.store(false, std::memory_order_release);
  if (next != nullptr) scheduler_.dispatch(static_cast<Task&>(*next));
}

bool Replay::look_behind(Task& hold, const ThreadState& thread, FunctionRef<void(Task&)> visit) {
  const Place place = place_of(hold);
  Replay& replay = *place.replay;
  const Template& replayed = *replay.template_;
  std::vector<bool> needed(replayed.nodes().size(), true);
  if (place.port != none) needed = replayed.needed_by(place.port);
  {
    const SpinLockGuard lock(replay.queue_lock_);
    for (const ThreadState::Frame* frame = thread.frame; frame != nullptr; frame = frame->outer) {
      for (const Runner* runner = replay.first_runner_; runner != nullptr; runner = runner->next) {
        const std::uint32_t node = runner->node.load(std::memory_order_relaxed);
        if (runner->task == frame->task && node != none && needed[node]) return true;
      }
    }
  }
  for (std::uint32_t port = 0; port < replayed.ports().size(); ++port) {
    PortState& state = replay.ports_[port];
    if (&*state.task == &hold || state.open.load(std::memory_order_acquire)) continue;
    for (const std::uint32_t target : replayed.ports()[port].targets) {
      if (!needed[target]) continue;
      visit(*state.task);
      break;
    }
  }
  return false;
}

}  // namespace stretto
