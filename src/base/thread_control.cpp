#include "base/thread_control.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "base/schedule_desk.h"

namespace stretto {
namespace {

using Participant = ThreadControl::Participant;
using State = Participant::State;
using Desk = ScheduleDesk;
using Lock = std::unique_lock<std::mutex>;

// A thread's destructors of its local data run in as many rounds as the system allows; it takes part through three.
constexpr int rounds_at_end = 3;
// The watch looks so often. Who sleeps in the system at so many looks in his turn is away; and when it was nobody's
// turn for so many, nobody will come any more.
constexpr std::chrono::milliseconds between_looks{5};
constexpr int looks_until_away = 4;
constexpr int looks_until_deadlock = 600;

/// Leaked, as threads may outlive the destructors of globals.
Desk& desk() {
  static auto& made = *new Desk;
  return made;
}

thread_local std::shared_ptr<Participant>* this_participant = nullptr;

void signal(Participant& next) {
  next.go.store(1, std::memory_order_release);
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&next.go), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void await_turn(Participant& me) {
  while (me.go.exchange(0, std::memory_order_acquire) == 0)
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&me.go), FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
}

/// Gives the turn to whoever is chosen.
void give_turn(Desk& at, const Participant* me) {
  at.running = at.choose();
  if (at.running != nullptr && at.running != me) signal(*at.running);
}

/// The same, and returns when the turn is the caller's again.
void hand_over(Desk& at, Lock& lock, Participant& me) {
  give_turn(at, &me);
  const bool mine = at.running == &me;
  lock.unlock();
  if (!mine) await_turn(me);
}

/// Whether the system has the thread asleep.
bool sleeps(pid_t thread) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", static_cast<int>(thread));
  std::FILE* file = std::fopen(path, "r");
  if (file == nullptr) return false;
  char state = 0;
  const int read = std::fscanf(file, "%*d (%*[^)]) %c", &state);
  std::fclose(file);
  return read == 1 && state == 'S';
}

/// Goes on for ever beside those who take part, and sees what they cannot say: that the one whose turn it is blocks.
void watch() {
  Desk& at = desk();
  std::uint64_t seen = 0;
  int asleep = 0;
  int nobody = 0;
  while (true) {
    std::this_thread::sleep_for(between_looks);
    const std::lock_guard lock(at.mutex);
    const std::uint64_t steps = at.steps.load();
    if (at.running == nullptr) {
      const bool all_wait =
          std::ranges::none_of(at.participants, [](const auto& one) { return one->state == State::away; });
      nobody = steps == seen && all_wait && !at.participants.empty() ? nobody + 1 : 0;
      if (nobody > looks_until_deadlock) at.tell_deadlock();
    } else {
      nobody = 0;
      asleep = steps == seen && at.running->thread != 0 && sleeps(at.running->thread) ? asleep + 1 : 0;
      if (asleep > looks_until_away) {
        asleep = 0;
        at.running->state = State::away;
        give_turn(at, nullptr);
      }
    }
    seen = steps;
  }
}

void end_participant(void* record);

pthread_key_t end_key() {
  static const pthread_key_t key = [] {
    pthread_key_t made = 0;
    if (pthread_key_create(&made, &end_participant) != 0) std::abort();
    return made;
  }();
  return key;
}

void take_part(std::shared_ptr<Participant> participant) {
  participant->thread = gettid();
  this_participant = new std::shared_ptr<Participant>(std::move(participant));
  pthread_setspecific(end_key(), this_participant);
}

/// The system calls it in the thread that ends, among the destructors of other keys, and again as long as it asks.
void end_participant(void* record) {
  auto* mine = static_cast<std::shared_ptr<Participant>*>(record);
  const std::shared_ptr<Participant> me = *mine;
  if (++me->rounds_at_end < rounds_at_end) {
    pthread_setspecific(end_key(), record);
    return;
  }
  delete mine;
  this_participant = nullptr;
  if (!ThreadControl::active()) return;
  Desk& at = desk();
  Lock lock(at.mutex);
  const bool had_turn = at.running == me.get();
  me->state = State::ended;
  std::erase(at.participants, me);
  for (const auto& other : at.participants)
    if (other->state == State::waiting && other->address == me.get()) at.become_ready(*other, true);
  if (had_turn) give_turn(at, nullptr);
}

/// The caller's turn, waited for if it has none: because it comes for the first time, or was away. With the desk
/// locked.
Participant& take_turn(Desk& at, Lock& lock) {
  at.steps.fetch_add(1, std::memory_order_relaxed);
  if (this_participant == nullptr) [[unlikely]] {
    take_part(at.add());
    if (!std::exchange(at.watched, true)) std::thread(watch).detach();
  } else if ((*this_participant)->state == State::away) {
    at.become_ready(**this_participant, false);
  } else {
    return **this_participant;
  }
  Participant& me = **this_participant;
  if (at.running == nullptr) {
    give_turn(at, &me);
    if (at.running == &me) return me;
  }
  lock.unlock();
  await_turn(me);
  lock.lock();
  return me;
}

}  // namespace

constinit std::atomic<bool> ThreadControl::active_{false};

void ThreadControl::begin_once(std::uint64_t seed) {
  Desk& at = desk();
  Lock lock(at.mutex);
  if (active()) return;
  at.set_seed(seed);
  active_.store(true);
  take_turn(at, lock);
}

void ThreadControl::reseed(std::uint64_t seed) {
  Desk& at = desk();
  Lock lock(at.mutex);
  take_turn(at, lock);
  at.set_seed(seed);
}

std::uint64_t ThreadControl::trace_hash() {
  const std::lock_guard lock(desk().mutex);
  return desk().hash;
}

void ThreadControl::switch_threads() {
  Desk& at = desk();
  Lock lock(at.mutex);
  Participant& me = take_turn(at, lock);
  if (at.seed == 0 || at.draw() % at.stays != 0) {
    if (at.seed != 0) at.time += step_nanoseconds;
    return;
  }
  at.become_ready(me, false);
  hand_over(at, lock, me);
}

void ThreadControl::yield() {
  // Those who poll a yield away from each other move time, or nothing would.
  sleep(step_nanoseconds);
}

std::int64_t ThreadControl::now() {
  Desk& at = desk();
  Lock lock(at.mutex);
  take_turn(at, lock);
  return at.time;
}

namespace {

bool wait_in_turn(Desk& at, Lock& lock, Participant& me, const void* address, std::int64_t deadline) {
  me.state = State::waiting;
  me.address = address;
  me.deadline = deadline;
  hand_over(at, lock, me);
  me.address = nullptr;
  me.deadline = ThreadControl::no_deadline;
  return me.woken;
}

}  // namespace

void ThreadControl::sleep(std::int64_t nanoseconds) {
  Desk& at = desk();
  Lock lock(at.mutex);
  Participant& me = take_turn(at, lock);
  wait_in_turn(at, lock, me, nullptr, at.time + std::max<std::int64_t>(nanoseconds, 1));
}

bool ThreadControl::wait(const void* address, std::int64_t deadline) {
  Desk& at = desk();
  Lock lock(at.mutex);
  Participant& me = take_turn(at, lock);
  return wait_in_turn(at, lock, me, address, deadline);
}

void ThreadControl::wake(const void* address, int count) {
  Desk& at = desk();
  Lock lock(at.mutex);
  take_turn(at, lock);
  at.wake(address, count);
}

std::shared_ptr<ThreadControl::Participant> ThreadControl::enlist() {
  Desk& at = desk();
  Lock lock(at.mutex);
  take_turn(at, lock);
  return at.add();
}

void ThreadControl::withdraw(Participant& participant) {
  Desk& at = desk();
  Lock lock(at.mutex);
  take_turn(at, lock);
  participant.state = State::ended;
  std::erase_if(at.participants, [&](const auto& one) { return one.get() == &participant; });
}

void ThreadControl::enter(std::shared_ptr<Participant> participant) {
  Participant& me = *participant;
  take_part(std::move(participant));
  await_turn(me);
}

void ThreadControl::await_end(const Participant& participant) {
  Desk& at = desk();
  Lock lock(at.mutex);
  Participant& me = take_turn(at, lock);
  if (participant.state != State::ended) wait_in_turn(at, lock, me, &participant, no_deadline);
}

void ThreadControl::reset_after_fork() {
  if (!active()) return;
  Desk& at = desk();
  // Whoever held it is gone, and the watch with them.
  new (&at.mutex) std::mutex;
  at.participants.clear();
  at.running = nullptr;
  at.watched = false;
  if (this_participant == nullptr) return;
  at.participants.push_back(*this_participant);
  at.running = this_participant->get();
  at.running->thread = gettid();
}

}  // namespace stretto
