#include "base/schedule_desk.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace stretto {
namespace {

using State = ThreadControl::Participant::State;

// Once in so many decisions time jumps to the next deadline though others could go on: a thread may lose its core.
constexpr std::uint64_t decisions_per_jump = 512;
constexpr std::uint64_t decisions_per_mood = 256;

std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

}  // namespace

std::uint64_t ScheduleDesk::draw() { return mix(random_ += 0x9e3779b97f4a7c15u); }

void ScheduleDesk::set_seed(std::uint64_t chosen) {
  seed = chosen;
  random_ = mix(chosen + 0x51ed2701u);
  hash = 0;
  decisions_ = 0;
  constexpr std::uint64_t choices[] = {2, 4, 16, 64};
  stays = choices[draw() % 4];
}

std::shared_ptr<ThreadControl::Participant> ScheduleDesk::add() {
  auto participant = std::make_shared<Participant>();
  participant->number = entered_++;
  participant->weight = 64;
  become_ready(*participant, false);
  participants.push_back(participant);
  return participant;
}

void ScheduleDesk::become_ready(Participant& participant, bool woken) {
  participant.state = State::ready;
  participant.woken = woken;
  participant.turn = ++turns_;
}

void ScheduleDesk::wake(const void* address, int count) {
  ready_.clear();
  for (const auto& participant : participants)
    if (participant->state == State::waiting && participant->address == address) ready_.push_back(participant.get());
  while (count-- > 0 && !ready_.empty()) {
    const std::size_t chosen = seed == 0 ? 0 : draw() % ready_.size();
    become_ready(*ready_[chosen], true);
    ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
}

/// Which threads are quick and which are slow for a while.
void ScheduleDesk::draw_weights() {
  constexpr int weights[] = {64, 64, 16, 1};
  for (const auto& participant : participants) participant->weight = weights[draw() % 4];
}

std::int64_t ScheduleDesk::next_deadline() const {
  std::int64_t next = ThreadControl::no_deadline;
  for (const auto& participant : participants)
    if (participant->state == State::waiting) next = std::min(next, participant->deadline);
  return next;
}

void ScheduleDesk::gather_ready() {
  ready_.clear();
  for (const auto& participant : participants) {
    if (participant->state == State::waiting && participant->deadline <= time) become_ready(*participant, false);
    if (participant->state == State::ready) ready_.push_back(participant.get());
  }
}

ThreadControl::Participant* ScheduleDesk::choose() {
  ++decisions_;
  if (seed != 0) {
    time += step_nanoseconds;
    if (draw() % decisions_per_jump == 0)
      if (const std::int64_t next = next_deadline(); next != ThreadControl::no_deadline) time = std::max(time, next);
    if (decisions_ % decisions_per_mood == 1) draw_weights();
  }
  gather_ready();
  if (ready_.empty()) {
    const std::int64_t next = next_deadline();
    if (next == ThreadControl::no_deadline) return nullptr;
    time = std::max(time, next);
    gather_ready();
  }
  Participant* chosen = ready_.back();
  if (seed == 0) {
    chosen = *std::ranges::min_element(ready_, {}, [](const Participant* one) { return one->turn; });
  } else {
    std::uint64_t sum = 0;
    for (const Participant* one : ready_) sum += static_cast<std::uint64_t>(one->weight);
    std::uint64_t drawn = draw() % sum;
    for (Participant* one : ready_) {
      chosen = one;
      if (drawn < static_cast<std::uint64_t>(one->weight)) break;
      drawn -= static_cast<std::uint64_t>(one->weight);
    }
  }
  hash = mix(hash ^ static_cast<std::uint64_t>(chosen->number) ^ (static_cast<std::uint64_t>(time) << 8));
  return chosen;
}

void ScheduleDesk::tell_deadlock() const {
  std::fprintf(stderr, "stretto: deterministic schedule, seed %llu: every thread waits, and none will be woken:\n",
               static_cast<unsigned long long>(seed));
  for (const auto& participant : participants)
    std::fprintf(stderr, "  thread %d waits at %p\n", participant->number, participant->address);
  std::abort();
}

}  // namespace stretto
