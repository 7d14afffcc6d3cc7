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
#include <vector>

namespace stretto {

struct ThreadControl::Participant {
  enum class State {
    ready,
    waiting,
    away,  ///< Had its turn, and blocks in something that is not under control.
    ended
  };

  int number = 0;
  pid_t thread = 0;  ///< As the system knows it; 0 before it runs.
  State state = State::ready;
  const void* address = nullptr;  ///< Waited for; null where it sleeps.
  std::int64_t deadline = no_deadline;
  bool woken = false;
  std::uint64_t turn = 0;  ///< Since when it is ready, in the plain order.
  int weight = 1;
  int rounds_at_end = 0;
  std::atomic<std::uint32_t> go{0};  ///< Whether it is its turn; the thread sleeps on it.
};

namespace {

using Participant = ThreadControl::Participant;
using State = Participant::State;
using Lock = std::unique_lock<std::mutex>;

// What a step takes, so that time moves also for those who only poll.
constexpr std::int64_t step_nanoseconds = 20;
// Once in so many decisions time jumps to the next deadline though others could go on: a thread may lose its core.
constexpr std::uint64_t decisions_per_jump = 512;
constexpr std::uint64_t decisions_per_mood = 256;
// A thread's destructors of its local data run in as many rounds as the system allows; it takes part through three.
constexpr int rounds_at_end = 3;
// The watch looks so often. Who sleeps in the system at so many looks in his turn is away; and when it was nobody's
// turn for so many, nobody will come any more.
constexpr std::chrono::milliseconds between_looks{5};
constexpr int looks_until_away = 4;
constexpr int looks_until_deadlock = 600;

/// Everything that is decided. Leaked, as threads may outlive the destructors of globals.
struct Desk {
  std::mutex mutex;
  std::vector<std::shared_ptr<Participant>> participants;  ///< Those that have not ended, in the order they came.
  std::vector<Participant*> ready;                         ///< Scratch.
  Participant* running = nullptr;                          ///< Whose turn it is.
  bool watched = false;
  std::atomic<std::uint64_t> steps{0};
  int entered = 0;
  std::int64_t time = 0;
  std::uint64_t turns = 0;
  std::uint64_t random = 0;
  std::uint64_t seed = 0;
  std::uint64_t stays = 4;  ///< A thread that could go on does so, but for one time in so many.
  std::uint64_t decisions = 0;
  std::uint64_t hash = 0;
};

Desk& desk() {
  static auto& made = *new Desk;
  return made;
}

thread_local std::shared_ptr<Participant>* this_participant = nullptr;

std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

std::uint64_t draw(Desk& at) { return mix(at.random += 0x9e3779b97f4a7c15u); }

void set_seed(Desk& at, std::uint64_t seed) {
  at.seed = seed;
  at.random = mix(seed + 0x51ed2701u);
  at.hash = 0;
  at.decisions = 0;
  constexpr std::uint64_t choices[] = {2, 4, 16, 64};
  at.stays = choices[draw(at) % 4];
}

/// Which threads are quick and which are slow for a while.
void draw_weights(Desk& at) {
  constexpr int weights[] = {64, 64, 16, 1};
  for (const auto& participant : at.participants) participant->weight = weights[draw(at) % 4];
}

void become_ready(Desk& at, Participant& participant, bool woken) {
  participant.state = State::ready;
  participant.woken = woken;
  participant.turn = ++at.turns;
}

std::int64_t next_deadline(const Desk& at) {
  std::int64_t next = ThreadControl::no_deadline;
  for (const auto& participant : at.participants)
    if (participant->state == State::waiting) next = std::min(next, participant->deadline);
  return next;
}

void gather_ready(Desk& at) {
  at.ready.clear();
  for (const auto& participant : at.participants) {
    if (participant->state == State::waiting && participant->deadline <= at.time) become_ready(at, *participant, false);
    if (participant->state == State::ready) at.ready.push_back(participant.get());
  }
}

[[noreturn]] void tell_deadlock(const Desk& at) {
  std::fprintf(stderr, "stretto: deterministic schedule, seed %llu: every thread waits, and none will be woken:\n",
               static_cast<unsigned long long>(at.seed));
  for (const auto& participant : at.participants)
    std::fprintf(stderr, "  thread %d waits at %p\n", participant->number, participant->address);
  std::abort();
}

/// Who goes on; null when nobody can.
Participant* choose(Desk& at) {
  ++at.decisions;
  if (at.seed != 0) {
    at.time += step_nanoseconds;
    if (draw(at) % decisions_per_jump == 0)
      if (const std::int64_t next = next_deadline(at); next != ThreadControl::no_deadline)
        at.time = std::max(at.time, next);
    if (at.decisions % decisions_per_mood == 1) draw_weights(at);
  }
  gather_ready(at);
  if (at.ready.empty()) {
    const std::int64_t next = next_deadline(at);
    if (next == ThreadControl::no_deadline) return nullptr;
    at.time = std::max(at.time, next);
    gather_ready(at);
  }
  if (at.seed == 0) return *std::ranges::min_element(at.ready, {}, [](const Participant* one) { return one->turn; });
  std::uint64_t sum = 0;
  for (const Participant* one : at.ready) sum += static_cast<std::uint64_t>(one->weight);
  std::uint64_t drawn = draw(at) % sum;
  for (Participant* one : at.ready) {
    if (drawn < static_cast<std::uint64_t>(one->weight)) return one;
    drawn -= static_cast<std::uint64_t>(one->weight);
  }
  return at.ready.back();
}

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
  at.running = choose(at);
  if (at.running == nullptr) return;
  at.hash = mix(at.hash ^ static_cast<std::uint64_t>(at.running->number) ^ (static_cast<std::uint64_t>(at.time) << 8));
  if (at.running != me) signal(*at.running);
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
      if (nobody > looks_until_deadlock) tell_deadlock(at);
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
    if (other->state == State::waiting && other->address == me.get()) become_ready(at, *other, true);
  if (had_turn) give_turn(at, nullptr);
}

std::shared_ptr<Participant> add(Desk& at) {
  auto participant = std::make_shared<Participant>();
  participant->number = at.entered++;
  participant->weight = 64;
  become_ready(at, *participant, false);
  at.participants.push_back(participant);
  return participant;
}

/// The caller's turn, waited for if it has none: because it comes for the first time, or was away. With the desk
/// locked.
Participant& take_turn(Desk& at, Lock& lock) {
  at.steps.fetch_add(1, std::memory_order_relaxed);
  if (this_participant == nullptr) [[unlikely]] {
    take_part(add(at));
    if (!std::exchange(at.watched, true)) std::thread(watch).detach();
  } else if ((*this_participant)->state == State::away) {
    become_ready(at, **this_participant, false);
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
  set_seed(at, seed);
  active_.store(true);
  take_turn(at, lock);
}

void ThreadControl::reseed(std::uint64_t seed) {
  Desk& at = desk();
  Lock lock(at.mutex);
  take_turn(at, lock);
  set_seed(at, seed);
}

std::uint64_t ThreadControl::trace_hash() {
  const std::lock_guard lock(desk().mutex);
  return desk().hash;
}

void ThreadControl::switch_threads() {
  Desk& at = desk();
  Lock lock(at.mutex);
  Participant& me = take_turn(at, lock);
  if (at.seed == 0 || draw(at) % at.stays != 0) {
    if (at.seed != 0) at.time += step_nanoseconds;
    return;
  }
  become_ready(at, me, false);
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
  at.ready.clear();
  for (const auto& participant : at.participants)
    if (participant->state == State::waiting && participant->address == address) at.ready.push_back(participant.get());
  while (count-- > 0 && !at.ready.empty()) {
    const std::size_t chosen = at.seed == 0 ? 0 : draw(at) % at.ready.size();
    become_ready(at, *at.ready[chosen], true);
    at.ready.erase(at.ready.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
}

std::shared_ptr<ThreadControl::Participant> ThreadControl::enlist() {
  Desk& at = desk();
  Lock lock(at.mutex);
  take_turn(at, lock);
  return add(at);
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
