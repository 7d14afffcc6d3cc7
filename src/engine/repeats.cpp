#include "engine/repeats.h"

#include <algorithm>
#include <utility>

#include <stretto/base/error.h>

#include "engine/engine.h"
#include "engine/scheduler.h"
#include "engine/submission_signature.h"
#include "engine/template.h"
#include "trace/recording.h"

namespace stretto {
namespace {

using State = RepeatingThread::State;

// A thread that has submitted less is not worth a finder.
constexpr std::uint32_t first_submissions = 16;
// Behind a submission of another thread, before anything is held again.
constexpr std::uint32_t least_alone = 256;
// Tasks with more accesses are not held.
constexpr std::size_t most_accesses = 64;
constexpr std::uint32_t wait_signature = 2;
// What is wanted when a section is complete is renewed from then on, where nothing follows it for so long: then it was
// the end of something, and the device waits.
constexpr std::chrono::microseconds longest_gap{20};
// So long a replay that is pending is awaited, before what is held is submitted task by task.
constexpr std::chrono::microseconds longest_wait{200};
// Where it would be launched in one go, so long for it and all that is pending, for each task: that is what issuing one
// takes on a device. Who waits longer in vain has tasks that take longer themselves.
constexpr std::chrono::microseconds time_to_issue{10};
constexpr std::chrono::microseconds nap{50};
// Behind a wait in vain so many sections are not waited for; at first one, and twice as many each time.
constexpr std::uint32_t longest_impatience = 64;

}  // namespace

// --- Submitting
// ----------------------------------------------------------------------------------------------------------

RepeatingThread* Repeats::thread(ThreadState& me) {
  if (me.repeating == nullptr && me.submissions >= first_submissions) [[unlikely]] {
    auto* made = new RepeatingThread;
    const MutexLock lock(mutex_);
    threads_.push_back(made);
    me.repeating = made;
  }
  return me.repeating;
}

bool Repeats::search(ThreadState& me, Task& task, const Submission& submission) {
  RepeatingThread* const found = thread(me);
  if (found == nullptr || found->is_off) [[unlikely]] {
    // What others hold comes before it.
    if (submitter_.load(std::memory_order_relaxed) != found) submitter_.store(nullptr, std::memory_order_relaxed);
    interrupt_others();
    return false;
  }
  RepeatingThread& own = *found;
  if (submitter_.load(std::memory_order_relaxed) != found) [[unlikely]]
    change_submitter(own);
  if (own.search_time.rests_on()) return false;
  for (const Access& access : submission.accesses) access.buffer->prefetch_log();
  const std::uint32_t signature = submission_signature(submission, own.finder.now());
  const bool on_other_lane = submission.role != LaneRole::compute && submission.device.kind() != DeviceKind::cpu;
  if (on_other_lane || submission.priority != Priority::normal || submission.accesses.size() > most_accesses ||
      Capture::current() != nullptr) [[unlikely]] {
    leave(own);
    own.finder.note_break(signature);
    expect_more(own);
    return false;
  }
  State state = own.state.load(std::memory_order_acquire);
  if (state == State::complete) [[unlikely]] {
    finish(own);
    state = own.state.load(std::memory_order_acquire);
  }
  own.finder.note(signature);
  switch (state) {
    case State::plain: break;
    case State::holding:
    case State::releasing: return hold(own, task, submission);
    case State::complete:
    case State::released:
      own.state.store(State::plain, std::memory_order_relaxed);
      own.finder.failed(own.period, own.saves_nothing);
      return false;
  }
  if (own.expected_length > 0) return begin(own, task, submission);
  expect_more(own);
  if (own.expected_length == 0 && own.search_time.note_searched(own.finder.period() != 0)) own.finder.forget();
  return false;
}

void Repeats::change_submitter(RepeatingThread& own) {
  const bool is_first = submitter_.exchange(&own, std::memory_order_relaxed) == nullptr;
  own.alone_since = own.finder.count() - (is_first ? least_alone : 0);
  if (holds()) release(&own);
}

/// Whether what comes next is to be held, if it is what is expected.
void Repeats::expect_more(RepeatingThread& own) {
  own.expected_length = own.finder.propose();
  if (own.expected_length == 0) return;
  own.expected_key = own.finder.expected_key(own.expected_length);
  own.expected_period = own.finder.period();
}

bool Repeats::begin(RepeatingThread& own, Task& task, const Submission& submission) {
  const std::uint32_t length = std::exchange(own.expected_length, 0);
  if (own.finder.period() != own.expected_period || own.finder.count() - own.alone_since < least_alone ||
      scheduler_.ending() || trace::enabled())
    return false;
  if (!watch_.begin()) {
    own.is_off = true;
    return false;
  }
  MutexLock lock(mutex_);
  if (stopped_ || holder_.load(std::memory_order_relaxed) != nullptr) return false;
  const KnownSection* const known = own.known.find(own.expected_key);
  if (known != nullptr && known->replays == nullptr) {
    own.finder.failed(own.expected_period, true);
    return false;
  }
  own.key = own.expected_key;
  own.period = own.expected_period;
  own.length = length;
  own.saves_nothing = false;
  own.held.begin(known == nullptr || known->is_outdated() ? nullptr : known->form, submission.device);
  own.state.store(State::holding, std::memory_order_relaxed);
  holder_.store(&own, std::memory_order_release);
  lock.unlock();
  return hold(own, task, submission);
}

bool Repeats::hold(RepeatingThread& own, Task& task, const Submission& submission) {
  const bool is_expected = own.finder.period() == own.period;
  bool is_held = false;
  {
    const SpinLockGuard adding(own.adding);
    is_held = own.state.load(std::memory_order_relaxed) == State::holding && is_expected && !trace::enabled() &&
              own.held.add(task, submission);
    if (is_held) watch_.note_held();
    if (is_held && own.held.size() < own.length) return true;
  }
  // Somebody else may have what is held submitted meanwhile.
  MutexLock lock(mutex_);
  const bool is_released = own.state.load(std::memory_order_relaxed) != State::holding;
  if (is_held) {
    if (!is_released) complete(own);
    const bool is_over = own.state.load(std::memory_order_relaxed) == State::plain;
    drop(lock);
    if (is_over) succeed(own);
    return true;
  }
  if (!is_released) {
    if (is_expected && !own.held.was_noted()) own.known.miss(own.key);
    submit_plainly(own);
  }
  own.state.store(State::plain, std::memory_order_relaxed);
  drop(lock);
  own.finder.failed(own.period);
  return false;
}

void Repeats::succeed(RepeatingThread& own) {
  // Of tasks so small, what a replay takes beside them tells.
  constexpr std::chrono::microseconds small_task{1};
  const SteadyClock::time_point before = std::exchange(own.succeeded_at, own.completed_at);
  own.finder.succeeded(own.period, own.completed_at - before < own.length * small_task);
  own.search_time.note_success();
}

void Repeats::leave(RepeatingThread& own) {
  own.expected_length = 0;
  if (own.state.load(std::memory_order_relaxed) == State::plain) return;
  if (own.state.load(std::memory_order_relaxed) == State::complete) finish(own);
  MutexLock lock(mutex_);
  const State state = own.state.load(std::memory_order_relaxed);
  if (state == State::holding) submit_plainly(own);
  if (state != State::plain) own.finder.failed(own.period);
  own.state.store(State::plain, std::memory_order_relaxed);
  drop(lock);
}

void Repeats::interrupt() {
  const ThreadState* const me = ThreadState::if_any();
  RepeatingThread* const own = me == nullptr || me->frame != nullptr ? nullptr : me->repeating;
  if (own != nullptr) {
    leave(*own);
    own->finder.note_break(wait_signature);
    expect_more(*own);
  }
  if (holds()) release(own);
}

bool Repeats::look_for(bool on) {
  interrupt();
  ThreadState& me = scheduler_.thread();
  me.submissions = std::max(me.submissions, first_submissions);
  RepeatingThread& own = *thread(me);
  own.finder = RepeatFinder();
  own.search_time = SearchTime();
  own.alone_since = own.finder.count() - least_alone;
  own.expected_length = 0;
  return !std::exchange(own.is_off, !on);
}

// --- Sections
// ------------------------------------------------------------------------------------------------------------

/// Of what the section saw first, what nobody refers to is a temporary. Most that still is referred to goes with the
/// variables of the loop that it is the body of, so, if there is any, it is looked at again when something follows.
void Repeats::complete(RepeatingThread& own) {
  const SectionForm& form = own.held.form();
  const KnownSection* const known = own.held.was_noted() ? nullptr : own.known.find(own.key);
  bool any = known == nullptr;
  own.referred.assign(form.slots.size(), false);
  for (std::uint32_t slot = 0; slot < form.slots.size(); ++slot) {
    if (!form.slots[slot].is_fresh || own.held.is_dead(slot)) continue;
    own.referred[slot] = true;
    any |= known != nullptr && !known->wanted[slot];
  }
  own.completed_at = SteadyClock::now();
  own.state.store(State::complete, std::memory_order_relaxed);
  expect_more(own);
  if (!any) static_cast<void>(submit_section(own));
}

/// By the thread that submits: what is complete is submitted.
void Repeats::finish(RepeatingThread& own) {
  const SteadyClock::time_point begun = SteadyClock::now();
  const std::uint64_t pending = scheduler_.count().pending();
  bool has_waited = false;
  while (true) {
    MutexLock lock(mutex_);
    if (own.state.load(std::memory_order_relaxed) != State::complete) return;
    // Replays of small tasks end soon, and are awaited. Where they did not, the device is busy for long.
    const auto waited = SteadyClock::now() - begun;
    const bool is_patient = own.impatient_for == 0 && waited < patience(own, pending);
    const bool is_over = submit_section(own);
    const bool is_replayed = own.state.load(std::memory_order_relaxed) == State::plain;
    if (!is_over && !is_patient) {
      submit_plainly(own);
      own.state.store(State::plain, std::memory_order_relaxed);
    }
    drop(lock);
    if (is_over || !is_patient) {
      if (own.impatient_for > 0) {
        --own.impatient_for;
      } else if (!is_over) {
        own.impatience = std::clamp(2 * own.impatience, 1u, longest_impatience);
        own.impatient_for = own.impatience;
      } else if (has_waited) {
        own.impatience = 0;
      }
      if (is_replayed) succeed(own);
      return;
    }
    has_waited = true;
    // Without the lock: what is pending may have to submit before it ends.
    if (waited < longest_wait) {
      pause(64);
    } else {
      sleep_for(nap);
    }
  }
}

std::chrono::microseconds Repeats::patience(const RepeatingThread& own, std::uint64_t pending) {
  const auto tasks = static_cast<std::int64_t>(own.held.size() + pending);
  return own.held.has_same_bodies() ? std::max(longest_wait, tasks * time_to_issue) : longest_wait;
}

bool Repeats::submit_section(RepeatingThread& own) {
  // What was recorded for lanes in order can be launched in one go, without new bodies.
  const Device device = own.held.form().device;
  if (own.held.was_noted() && scheduler_.devices().at(device).launcher != nullptr) own.held.note_bodies();
  const bool is_late = SteadyClock::now() - own.completed_at > longest_gap;
  const std::uint64_t made = own.known.made();
  KnownSection& known = own.known.learn(own.key, own.held, is_late ? &own.referred : nullptr, scheduler_);
  recorded_.fetch_add(own.known.made() - made, std::memory_order_relaxed);
  own.saves_nothing = known.replays == nullptr;
  if (own.saves_nothing || !known.has_room(scheduler_)) {
    submit_plainly(own);
    own.state.store(State::released, std::memory_order_relaxed);
    return true;
  }
  const Template& replayed = known.replays->replayed();
  const std::span<const BufferReference> buffers = own.held.buffers();
  own.arguments.clear();
  own.results.assign(replayed.made_results(), nullptr);
  for (std::uint32_t slot = 0; slot < buffers.size(); ++slot) {
    const Template::Slot& one = replayed.slots()[slot];
    if (one.kind == Template::SlotKind::argument) own.arguments.push_back(buffers[slot].get());
    if (one.kind == Template::SlotKind::result) own.results[one.number] = buffers[slot].get();
  }
  const SectionForm::Task& first = own.held.form().tasks.front();
  const std::uint64_t count = own.held.size();
  const bool outside_effect = std::ranges::any_of(own.held.form().tasks, &SectionForm::Task::outside_effect);
  const bool is_same = own.held.has_same_bodies();
  if (!known.replays->try_submit({.name = first.name,
                                  .site = first.site,
                                  .arguments = own.arguments,
                                  .results = own.results,
                                  .seed = {},
                                  .bodies = is_same ? std::span<Task* const>() : own.held.tasks(),
                                  .outside_effect = outside_effect,
                                  .was_found = true}))
    return false;
  known.note_submitted(is_same);
  if (is_same) drop_bodies(own);
  replays_.fetch_add(1, std::memory_order_relaxed);
  tasks_.fetch_add(count, std::memory_order_relaxed);
  end_section(own, State::plain);
  return true;
}

void Repeats::submit_plainly(RepeatingThread& own) {
  {
    // From here on nothing is added, and what comes next waits until all that is held is recorded.
    const SpinLockGuard adding(own.adding);
    own.state.store(State::releasing, std::memory_order_relaxed);
  }
  ThreadState& me = scheduler_.thread();
  // They are the submitter's, and not part of a task that the calling thread may be inside of.
  ThreadState::Frame* const frame = std::exchange(me.frame, nullptr);
  const SectionForm& form = own.held.form();
  const std::span<const BufferReference> buffers = own.held.buffers();
  for (std::size_t number = 0; number < own.held.size(); ++number) {
    const SectionForm::Task& one = form.tasks[number];
    own.accesses.clear();
    for (std::uint32_t i = 0; i < one.access_count; ++i) {
      const SectionForm::Access& access = form.accesses[one.first_access + i];
      own.accesses.push_back({buffers[access.slot].get(), form.box(access), access.mode});
    }
    Engine::get().record(*own.held.tasks()[number],
                         {.name = one.name,
                          .site = one.site,
                          .device = form.device,
                          .role = one.role,
                          .outside_effect = one.outside_effect,
                          .accesses = own.accesses},
                         own.accesses, nullptr);
  }
  me.frame = frame;
  left_.fetch_add(1, std::memory_order_relaxed);
  end_section(own, State::released);
}

void Repeats::drop_bodies(RepeatingThread& own) {
  ThreadState& me = scheduler_.thread();
  for (Task* const task : own.held.tasks()) {
    task->invoke(*task, nullptr);
    me.recycle(*task);
  }
}

void Repeats::end_section(RepeatingThread& own, State state) {
  std::ranges::move(own.held.end(), std::back_inserter(dropped_));
  own.state.store(state, std::memory_order_release);
  holder_.store(nullptr, std::memory_order_release);
}

void Repeats::drop(MutexLock& lock) {
  const std::vector<BufferReference> dropped = std::exchange(dropped_, {});
  lock.unlock();
}

}  // namespace stretto
