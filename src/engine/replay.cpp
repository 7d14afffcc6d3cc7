#include "engine/replay.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/mutation.h"
#include "engine/recorder.h"
#include "engine/waiting.h"

namespace stretto {

Replay::Replay(Scheduler& scheduler, std::shared_ptr<const Template> replayed)
    : scheduler_(scheduler),
      template_(std::move(replayed)),
      device_(scheduler.devices().at(template_->device())),
      buffers_(template_->slots().size()),
      ports_(new PortState[template_->ports().size()]) {
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
  was_found_ = call.was_found;
  bodies_.assign(call.bodies.begin(), call.bodies.end());
  if (is_broken(Mutation::repeat_body)) [[unlikely]]
    exchange_bodies();
  const std::vector<Template::Port>& ports = template_->ports();
  for (std::size_t port = 0; port < ports.size(); ++port)
    ports_[port].waits.store(ports[port].closers + 1, std::memory_order_relaxed);
  any_failed_.store(false, std::memory_order_relaxed);
  needed_.store(call.outside_effect, std::memory_order_relaxed);
  reset();
  record(call);
}

void Replay::place(Task& task, std::uint32_t port, Task::Invoke invoke) {
  new (task.closure) Place{this, port};
  task.invoke = invoke;
}

const Replay::Place& Replay::place_of(const Task& task) {
  return *std::launder(reinterpret_cast<const Place*>(task.closure));
}

void Replay::record(const Call& call) {
  ThreadState& me = scheduler_.thread();
  // If any of it is needed when the process ends, it runs to its end as a whole.
  const Submission submission{
      .name = call.name, .site = call.site, .device = template_->device(), .outside_effect = call.outside_effect};
  Task& beginning = *me.take_task(scheduler_.recording());
  begin_ = &beginning;
  place(beginning, none, [](Task& self, BodyContext* context) { place_of(self).replay->begin(self, context); });
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
    beginning.flags |= flags_at_begin();
    beginning.access_count = static_cast<std::uint32_t>(unbound_.size());
    epoch_ = beginning.epoch();
    for (Buffer* const buffer : unbound_) recorder.expect_memory(*buffer);
    static_cast<void>(recorder.finish(1 + arrivals_at_begin()));
    first_sequence_ = scheduler_.count().next_sequences(template_->nodes().size());
    // Not before: who still looks behind a task of the last replay must not see ports of this one, nor their old tasks.
    for (std::uint32_t port = 0; port < template_->ports().size(); ++port)
      ports_[port].open.store(false, std::memory_order_relaxed);
    for (std::uint32_t port = 0; port < template_->ports().size(); ++port) record_hold(submission, port, joins, ready);
    for (std::uint32_t port = 0; ends_as_one() && port < template_->ports().size(); ++port) enter_hold(port, joins);
    std::vector<Task*> ends;  // waits for nobody, and is not carried out
    if (has_end()) record_hold(submission, none, joins, ends);
  }
  ThreadControl::step();
  for (Task* const task : joins) scheduler_.carry_out(*task);
  for (Task* const task : ready) scheduler_.carry_out(*task);
  arrive_at_begin();
}

void Replay::arrive_at_begin() {
  Task& beginning = *begin_;
  if (arrive(beginning)) scheduler_.dispatch(beginning);
}

void Replay::record_hold(const Submission& submission, std::uint32_t port, std::vector<Task*>& joins,
                         std::vector<Task*>& ready) {
  Task& task = *scheduler_.thread().take_task_while_recording();
  place(task, port, [](Task& self, BodyContext*) { place_of(self).replay->open(place_of(self).port); });
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
      if (ends_as_one()) {
        // All ports open before any closes: none may wait for another, be it by way of a join.
        recorder.follow({&buffer, box, one.mode}, one.overwritten);
      } else if (one.overwritten.empty()) {
        recorder.access({&buffer, box, one.mode});
      } else {
        recorder.read_except(buffer, box, one.overwritten);
      }
    }
  }
  if (recorder.finish_hold()) ready.push_back(&task);
  for (Task* const join : recorder.take_joins()) joins.push_back(join);
}

void Replay::enter_hold(std::uint32_t port, std::vector<Task*>& joins) {
  const Template::Port& one = template_->ports()[port];
  Recorder recorder(scheduler_, *ports_[port].task);
  for (const std::int32_t number : one.boxes)
    recorder.enter({buffers_[one.slot], number < 0 ? nullptr : &template_->boxes()[number], one.mode});
  for (Task* const join : recorder.take_joins()) joins.push_back(join);
}

// --- Nodes
// ---------------------------------------------------------------------------------------------------------------

FailureReference Replay::run_body(Task& shell, BodyContext& context, const Template::Node& node, std::uint32_t number) {
  // While it runs, this task is the node's: whatever looks at the task that a thread is inside of, sees that.
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
    if (has_own_bodies()) {
      run_own_body(number, context);
    } else {
      node.body->run(context, &seed_);
    }
  } catch (...) {
    failure = scheduler_.current_failure(shell);
  }
  RunningBody& running = context.running();
  if (!running.readers.empty()) [[unlikely]] {
    await_readers(scheduler_, shell, running);
    running.readers.clear();
    FailureReference late = FailureReference::adopt(shell.failure.exchange(nullptr));
    if (late && !failure) failure = std::move(late);
  }
  shell.access_count = 0;
  return failure;
}

/// Its task is free again, however the body ends.
void Replay::run_own_body(std::uint32_t node, BodyContext& context) {
  struct Recycler {
    Scheduler& scheduler;
    Task& task;
    ~Recycler() { scheduler.thread().recycle(task); }
  };
  // The lines of a body are with the core that submitted it.
  constexpr std::size_t ahead = 4;
  if (node + ahead < bodies_.size())
    if (const Task* const later = std::atomic_ref(bodies_[node + ahead]).load(std::memory_order_relaxed))
      prefetch_body(*later);
  const Recycler given{scheduler_, *std::atomic_ref(bodies_[node]).exchange(nullptr, std::memory_order_relaxed)};
  given.task.invoke(given.task, &context);
}

/// For tests: of two tasks that only their bodies tell apart.
void Replay::exchange_bodies() {
  for (std::size_t one = 0; one < bodies_.size(); ++one) {
    for (std::size_t other = one + 1; other < bodies_.size(); ++other) {
      const Template::Node& first = template_->nodes()[one];
      const Template::Node& second = template_->nodes()[other];
      if (first.name == second.name && first.access_count == second.access_count)
        return std::swap(bodies_[one], bodies_[other]);
    }
  }
}

/// Those that were not run.
void Replay::drop_bodies() {
  for (Task* const task : bodies_) {
    if (task == nullptr) continue;
    task->invoke(*task, nullptr);
    scheduler_.thread().recycle(*task);
  }
  bodies_.clear();
}

// --- Failures and the end
// ------------------------------------------------------------------------------------------------

void Replay::fail(std::uint32_t node, const FailureReference& failure) {
  const MutexLock lock(failing_);
  FailureReference& known = failures_[node];
  if (!known || failure->sequence < known->sequence) known = failure;
  any_failed_.store(true, std::memory_order_release);
}

void Replay::tell_of(std::uint32_t node, const FailureReference& failure) {
  if (failure->sequence == first_sequence_ + node) scheduler_.failures().add(failure);
}

void Replay::abandon(const FailureReference& failure) {
  const MutexLock lock(failing_);
  abandoned_ = failure;
  any_failed_.store(true, std::memory_order_release);
}

void Replay::fail_targets(std::uint32_t port) {
  const Template::Port& one = template_->ports()[port];
  if (!one.carries_value) return;
  const FailureReference failure = scheduler_.failure_of(*ports_[port].task);
  if (!failure || is_broken(Mutation::poison)) return;
  for (const std::uint32_t node : one.targets) fail(node, failure);
}

void Replay::fail_readers(std::uint32_t node, const FailureReference& failure) {
  if (is_broken(Mutation::poison)) return;
  for (const std::uint32_t reader : template_->readers(node)) fail(reader, failure);
}

FailureReference Replay::failure_of(std::uint32_t node) {
  if (!any_failed_.load(std::memory_order_acquire)) [[likely]]
    return {};
  const MutexLock lock(failing_);
  if (abandoned_) return abandoned_;
  const auto found = failures_.find(node);
  return found == failures_.end() ? FailureReference() : found->second;
}

void Replay::end() {
  if (any_failed_.load(std::memory_order_acquire)) {
    const MutexLock lock(failing_);
    failures_.clear();
    abandoned_ = {};
  }
  drop_bodies();
  // It may be the last to keep this object.
  const std::shared_ptr<const void> keep = std::move(keep_);
  // Whoever finds this one pending finds the replay that it ends, not the next.
  Work* const next = end_ == nullptr ? nullptr : scheduler_.complete(*end_, nullptr);
  busy_.store(false, std::memory_order_release);
  if (next != nullptr) scheduler_.dispatch(static_cast<Task&>(*next));
}

void Replay::need(Task& hold, FunctionRef<void(Task&)> visit) {
  Replay& replay = replay_of(hold);
  if (replay.needed_.exchange(true, std::memory_order_acq_rel)) return;
  visit(*replay.begin_);
  for (std::uint32_t port = 0; port < replay.template_->ports().size(); ++port)
    if (!replay.ports_[port].open.load(std::memory_order_acquire)) visit(*replay.ports_[port].task);
}

bool Replay::is_inside(const Runner* first, const ThreadState& thread, const std::vector<bool>& nodes) {
  for (const ThreadState::Frame* frame = thread.frame; frame != nullptr; frame = frame->outer) {
    for (const Runner* runner = first; runner != nullptr; runner = runner->next) {
      const std::uint32_t node = runner->node.load(std::memory_order_relaxed);
      if (runner->task == frame->task && node != none && nodes[node]) return true;
    }
  }
  return false;
}

bool Replay::look_behind(Task& hold, const ThreadState& thread, FunctionRef<void(Task&)> visit) {
  const Place place = place_of(hold);
  Replay& replay = *place.replay;
  const Template& replayed = *replay.template_;
  std::vector<bool> needed(replayed.nodes().size(), true);
  if (place.port != none && !replay.ends_as_one()) needed = replayed.needed_by(place.port);
  if (replay.is_inside(thread, needed)) return true;
  for (std::uint32_t port = 0; port < replayed.ports().size(); ++port) {
    PortState& state = replay.ports_[port];
    if (&*state.task == &hold || state.open.load(std::memory_order_acquire)) continue;
    if (replay.ends_as_one() ||
        std::ranges::any_of(replayed.ports()[port].targets, [&](std::uint32_t target) { return needed[target]; }))
      visit(*state.task);
  }
  return false;
}

}  // namespace stretto
