// The replays of a template: which one is free.

#include <chrono>

#include "base/fork.h"
#include "base/thread.h"
#include "engine/replay.h"

namespace stretto {
namespace {

constexpr std::size_t most_pending = 3;
// What temporaries of all replays of a template take of a device's memory at most, as a part of it.
constexpr std::size_t part_of_memory = 8;

/// Held while one of a template's replays is taken: one for all, which a fork finds open.
Mutex& taking() {
  static Mutex& mutex = [&]() -> Mutex& {
    auto& made = *new Mutex;
    hold_across_fork(made);
    return made;
  }();
  return mutex;
}

}  // namespace

Replays::Replays(Scheduler& scheduler, std::shared_ptr<const Template> replayed)
    : scheduler_(scheduler), template_(std::move(replayed)), most_(most_pending) {
  const std::size_t limit = scheduler.devices().at(template_->device()).memory->limit() / part_of_memory;
  const std::size_t bytes = template_->place_bytes();
  if (bytes > 0) most_ = std::min(most_, limit / bytes);
}

Replay* Replays::claim() {
  const MutexLock lock(taking());
  for (std::unique_ptr<Replay>& replay : replays_) {
    if (replay->claim()) return replay.get();
    // In a child: its threads are gone, and what they had in hand is not touched.
    if (replay->is_lost()) static_cast<void>(replay.release());
  }
  std::erase(replays_, nullptr);
  if (replays_.size() >= most_) return nullptr;
  replays_.push_back(std::make_unique<Replay>(scheduler_, template_));
  static_cast<void>(replays_.back()->claim());
  return replays_.back().get();
}

bool Replays::submit(const Replay::Call& call) {
  if (most_ == 0) return false;
  Replay* replay = claim();
  if (replay == nullptr) {
    // As in Engine::hold_back.
    scheduler_.blocked().fetch_add(1, std::memory_order_relaxed);
    std::uint64_t seen = scheduler_.count().completed();
    SteadyClock::time_point moved = SteadyClock::now();
    for (int polls = 0; replay == nullptr; ++polls) {
      if (polls < 16) {
        pause(64);
      } else {
        sleep_for(std::chrono::microseconds(50));
      }
      replay = claim();
      const std::uint64_t completed = scheduler_.count().completed();
      if (completed != seen) {
        seen = completed;
        moved = SteadyClock::now();
      } else if (SteadyClock::now() - moved > std::chrono::seconds(1)) {
        break;
      }
    }
    scheduler_.blocked().fetch_sub(1, std::memory_order_relaxed);
  }
  if (replay == nullptr) return false;
  if (!replay->prepare(call)) {
    replay->unclaim();
    return false;
  }
  replay->submit(call, shared_from_this());
  return true;
}

}  // namespace stretto
