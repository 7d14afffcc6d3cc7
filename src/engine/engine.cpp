#include "engine/engine.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

#include <stretto/base/error.h>

#include "base/environment.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/mutation.h"
#include "base/prefetch.h"
#include "base/thread.h"
#include "engine/access_check.h"
#include "engine/declared.h"
#include "engine/held_back.h"
#include "engine/launcher.h"
#include "engine/lifecycle.h"
#include "engine/recorder.h"
#include "engine/repeats.h"
#include "engine/scheduler.h"
#include "engine/waiting.h"
#include "engine/watchdog.h"

namespace stretto {
namespace {

// Counting pending tasks looks at the cells of all threads: not at every submission.
constexpr std::uint32_t submissions_between_looks = 256;
// Whatever the machine, so much may wait to be freed by pending tasks.
constexpr std::size_t least_byte_limit = std::size_t{32} << 20;
// How many submissions are let through when what is pending does not move.
constexpr std::uint64_t let_through = 2048;

constinit Mutex names_mutex;

}  // namespace

std::atomic<Engine*> Engine::made_{nullptr};

Engine& Engine::make() {
  const MutexLock lock(engine_making());
  Engine* engine = made_.load(std::memory_order_relaxed);
  if (engine == nullptr) {
    if (environment().deterministic_seed) ThreadControl::begin_once(*environment().deterministic_seed);
    engine = new Engine;
    made_.store(engine, std::memory_order_release);
  }
  return *engine;
}

Engine::Engine() : scheduler_(*new Scheduler), max_inflight_(static_cast<std::uint64_t>(environment().max_inflight)) {
  keep_lifecycle(scheduler_);
  hold_across_fork(names_mutex);
}

void Engine::submit_held() {
  if (Repeats* const repeats = scheduler_.repeats()) repeats->interrupt();
}

bool Engine::serial() const { return scheduler_.serial(); }
std::size_t Engine::pending_tasks() const { return scheduler_.count().pending(); }
void Engine::check_device(Device device) { scheduler_.devices().at(device); }
int Engine::device_count(DeviceKind kind) { return scheduler_.devices().count(kind); }
Backend* Engine::backend(DeviceKind kind) { return scheduler_.devices().backend(kind); }
MemoryPool& Engine::memory_pool(Device device) { return *scheduler_.devices().at(device).memory; }

const char* intern(std::string_view name) {
  const MutexLock lock(names_mutex);
  static auto& names = *new std::set<std::string, std::less<>>;
  auto found = names.find(name);
  if (found == names.end()) found = names.emplace(name).first;
  return found->c_str();
}

int BodyContext::declared(const Buffer& buffer) const {
  int modes = 0;
  for (std::size_t i = 0; i < task_.access_count; ++i)
    if (&task_.buffer(i) == &buffer) modes |= static_cast<int>(task_.mode(i));
  return modes;
}

// --- Buffers
// -------------------------------------------------------------------------------------------------------------

BufferReference Engine::create_buffer(Device device, std::size_t bytes) {
  scheduler_.devices().at(device);
  auto* buffer = new Buffer(device, bytes);
  if (Capture* const capture = Capture::current()) [[unlikely]]
    capture->note_made(*buffer);
  return BufferReference::adopt(buffer);
}

BufferReference Engine::borrow(Device device, std::byte* data, std::size_t bytes, std::shared_ptr<const void> owner) {
  if (!scheduler_.devices().at(device).host_accessible)
    throw DeviceError("memory of the host cannot be used on " + to_string(device) + " without a copy");
  return borrow_foreign(device, data, bytes, std::move(owner));
}

BufferReference Engine::borrow_foreign(Device device, std::byte* data, std::size_t bytes,
                                       std::shared_ptr<const void> owner) {
  scheduler_.devices().at(device);
  Capture::give_up("takes over memory");
  auto* buffer = new Buffer(device, bytes);
  buffer->data_.store(data, std::memory_order_relaxed);
  buffer->borrowed_ = true;
  buffer->written_ = true;
  buffer->owner_ = std::move(owner);
  return BufferReference::adopt(buffer);
}

std::byte* Engine::bind_now(Buffer& buffer) {
  Capture::give_up("makes a tensor of values that the host has");
  refuse_in_recorded("host data", CallSite());
  scheduler_.bind_now(buffer, "host data", CallSite());
  buffer.written_ = true;
  if (AccessCheck* const check = scheduler_.access_check()) [[unlikely]]
    check->open_to_host(buffer, true);
  return buffer.data();
}

void BufferReference::free(Buffer& buffer) { Engine::get().free_buffer(buffer); }

void Engine::free_buffer(Buffer& buffer) {
  const std::size_t counted = buffer.bytes() >= Scheduler::smallest_counted_bytes ? buffer.bytes() : 0;
  if (counted > 0) scheduler_.awaiting_release().fetch_add(counted, std::memory_order_relaxed);
  if (scheduler_.release_without_task(buffer)) return;
  ThreadState& me = scheduler_.thread();
  Task* task = me.take_task(scheduler_.recording());
  new (task->closure) Buffer*(&buffer);
  task->invoke = [](Task& self, BodyContext*) {
    PointSet pending;
    for_each_link(self, [&](const Link& link) { pending.add(point_of(link)); });
    Scheduler& scheduler = Engine::get().scheduler_;
    Buffer& freed = **std::launder(reinterpret_cast<Buffer**>(self.closure));
    const std::size_t bytes = freed.bytes();
    if (is_broken(Mutation::host_buffer_reuse) && freed.device().kind() == DeviceKind::cpu) [[unlikely]]
      pending = PointSet();
    scheduler.release_buffer(freed, std::move(pending));
    if (bytes >= Scheduler::smallest_counted_bytes)
      scheduler.awaiting_release().fetch_sub(bytes, std::memory_order_relaxed);
  };
  Recorder recorder(scheduler_, *task);
  bool ready = false;
  {
    const SpinLockGuard lock(scheduler_.recording());
    recorder.begin({.name = "free", .device = buffer.device()}, Task::Kind::release);
    if (buffer.written_) recorder.access({&buffer, nullptr, AccessMode::write});
    ready = recorder.finish();
  }
  recorder.carry_out_joins();
  if (ready) scheduler_.carry_out(*task);
}

// --- Tasks
// ---------------------------------------------------------------------------------------------------------------

Task& Engine::acquire_task() {
  ThreadState& me = scheduler_.thread();
  // A task inside another never waits here: what it would wait for may wait for it.
  if (me.frame == nullptr) {
    if (++me.submissions % submissions_between_looks == 0) [[unlikely]] {
      hold_back([&] { return scheduler_.count().pending(); }, max_inflight_);
    }
    if (scheduler_.awaiting_release().load(std::memory_order_relaxed) > least_byte_limit) [[unlikely]]
      hold_back([&] { return scheduler_.awaiting_release().load(std::memory_order_relaxed); }, byte_limit());
  }
  return *me.take_task(scheduler_.recording());
}

std::size_t Engine::byte_limit() {
  // What pending tasks will free may be as much again as half of what is held.
  std::size_t live = 0;
  scheduler_.devices().for_each([&](EngineDevice& device) { live += device.memory->statistics().live; });
  return std::max(least_byte_limit, live / 3);
}

void Engine::hold_back(FunctionRef<std::uint64_t()> amount, std::uint64_t limit) {
  if (amount() < limit) return;
  PendingCount& count = scheduler_.count();
  ThreadState& me = scheduler_.thread();
  if (count.completed() == me.let_through_at && me.submissions < me.let_through_to) return;
  const Watchdog::Waiting watched(scheduler_.watchdog(), "a submission, until less is pending");
  const trace::Waiting traced("held back", "back-pressure");
  HeldBack held_back(scheduler_, amount());
  // Until a quarter is gone, so that the wait is not repeated at once.
  while (amount() > limit - limit / 4) {
    if (held_back.wait(amount())) continue;
    // What only the caller can do it may submit now.
    me.let_through_at = count.completed();
    me.let_through_to = me.submissions + let_through;
    return;
  }
}

void Engine::refuse(Task& task, const Submission& submission, const std::string& why) {
  Capture::give_up("submits what is refused");
  task.invoke(task, nullptr);
  scheduler_.thread().recycle(task);
  throw UsageError(submission.name, why, submission.site);
}

void Engine::commit(Task& task, const Submission& submission) {
  const std::size_t count = submission.accesses.size();
  if (count > Task::max_accesses) {
    refuse(task, submission,
           std::to_string(count) + " accesses in one task; at most " + std::to_string(Task::max_accesses));
  }
  if (Buffer::some_are_read_only()) [[unlikely]] {
    for (const Access& access : submission.accesses) {
      if (!writes(access.mode) || !access.buffer->read_only()) continue;
      refuse(task, submission, "writes into memory of another library, which lets it be read alone: clone the tensor");
    }
  }
  if (!scheduler_.serial()) start_device(task, submission);
  ThreadState& me = scheduler_.thread();
  Repeats* const repeats = scheduler_.repeats();
  if (me.frame != nullptr) [[unlikely]] {
    if (repeats != nullptr) repeats->interrupt_others();
    commit_inside(task, submission);
  } else if (repeats == nullptr || !repeats->take(me, task, submission)) {
    record(task, submission, submission.accesses, nullptr);
  }
}

/// Before the task is recorded: behind that nothing is left that could fail for want of a thread.
void Engine::start_device(Task& task, const Submission& submission) {
  try {
    scheduler_.devices().known(submission.device.kind(), submission.device.index()).start();
  } catch (Error& error) {
    task.invoke(task, nullptr);
    scheduler_.thread().recycle(task);
    error.with_context(submission.name, submission.site);
    throw;
  }
}

/// Throws where the calling thread is in a body that is recorded.
void Engine::refuse_in_recorded(const char* operation, CallSite site) {
  const ThreadState::Frame* const frame = scheduler_.thread().frame;
  if (frame == nullptr || !frame->body->is_recorded) [[likely]]
    return;
  frame->body->was_refused = true;
  throw UsageError(operation, std::string("inside the task ") + frame->task->name + ", which is recorded", site);
}

void Engine::commit_inside(Task& task, const Submission& submission) {
  ThreadState& me = scheduler_.thread();
  std::vector<Access> recorded;
  bool reads_declared = false;
  try {
    refuse_in_recorded(submission.name, submission.site);
    reads_declared = leave_out_declared(*me.frame, submission, recorded);
  } catch (...) {
    task.invoke(task, nullptr);
    me.recycle(task);
    throw;
  }
  record(task, submission, recorded, reads_declared ? me.frame->body : nullptr);
}

void Engine::record(Task& task, const Submission& submission, std::span<const Access> recorded,
                    RunningBody* reads_for) {
  const std::size_t count = submission.accesses.size();
  std::uintptr_t* accesses = count <= Task::inline_accesses ? task.accesses : new std::uintptr_t[count];
  for (std::size_t i = 0; i < count; ++i) {
    // Needed once the task has been set up.
    submission.accesses[i].buffer->prefetch_log();
    accesses[i] = reinterpret_cast<std::uintptr_t>(submission.accesses[i].buffer) |
                  static_cast<std::uintptr_t>(submission.accesses[i].mode);
  }
  if (count > Task::inline_accesses) task.accesses[0] = reinterpret_cast<std::uintptr_t>(accesses);

  if (AccessCheck* const check = scheduler_.access_check()) [[unlikely]]
    check->declare(task, submission.accesses);

  Recorder recorder(scheduler_, task);
  bool ready = false;
  {
    const SpinLockGuard lock(scheduler_.recording());
    recorder.begin(submission, Task::Kind::normal);
    task.access_count = static_cast<std::uint32_t>(count);
    // What a task reads is what was there before it, also where it writes: reads are recorded first.
    for (const Access& access : recorded)
      if (reads(access.mode)) recorder.access(access);
    for (const Access& access : recorded)
      if (!reads(access.mode)) recorder.access(access);
    if (reads_for != nullptr) [[unlikely]]
      reads_for->readers.push_back(scheduler_.slab().reference(task));
    if (scheduler_.ending()) [[unlikely]]
      recorder.note_end();
    ready = recorder.finish();
  }
  if (recorder.is_traced()) [[unlikely]]
    recorder.tell(submission);
  ThreadControl::step();
  recorder.carry_out_joins();
  if (ready) scheduler_.dispatch(task);
}

void Engine::wait(Buffer& buffer, const Box* box, const char* operation, CallSite site) {
  Capture::give_up("reads a value, or waits for one");
  refuse_in_recorded(operation, site);
  submit_held();
  wait_for_buffer(scheduler_, buffer, box, operation, site);
  if (AccessCheck* const check = scheduler_.access_check()) [[unlikely]]
    check->open_to_host(buffer, false);
}
void Engine::wait_all(CallSite site) {
  Capture::give_up("waits for all tasks");
  submit_held();
  stretto::wait_all(scheduler_, site);
}
void Engine::synchronize(Device device, CallSite site) {
  Capture::give_up("waits for all tasks of a device");
  submit_held();
  scheduler_.devices().at(device);
  stretto::synchronize(scheduler_, device, site);
}

}  // namespace stretto
