// The replays of a template: which one is free.

#include "base/environment.h"
#include "base/fork.h"
#include "base/thread.h"
#include "engine/held_back.h"
#include "engine/lane_replay.h"
#include "engine/launcher.h"
#include "engine/repeats.h"
#include "engine/replay.h"
#include "engine/worker_replay.h"

namespace stretto {
namespace {

constexpr std::size_t most_pending = 3;
// What the temporaries of all replays of the process take of a device's memory at most, as a part of it.
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
    : scheduler_(scheduler), template_(std::move(replayed)) {
  const EngineDevice& device = scheduler_.devices().at(template_->device());
  if (device.launcher == nullptr) return;
  const auto streams = static_cast<std::uint32_t>(device.launcher->stream_count());
  segment_ = std::make_shared<Segment>(*template_, streams, environment().graphs && device.backend->records());
}

Replays::~Replays() = default;

std::unique_ptr<Replay> Replays::make() const {
  if (segment_ != nullptr)
    return std::make_unique<LaneReplay>(scheduler_, template_, segment_, static_cast<int>(replays_.size()));
  return std::make_unique<WorkerReplay>(scheduler_, template_);
}

bool Replays::may_have_another() const {
  if (replays_.size() >= most_pending) return false;
  const EngineDevice& device = scheduler_.devices().at(template_->device());
  const std::size_t kept = device.replay_bytes.load(std::memory_order_relaxed);
  return kept + template_->place_bytes() <= device.memory->limit() / part_of_memory;
}

Replay* Replays::claim() {
  const MutexLock lock(taking());
  for (std::unique_ptr<Replay>& replay : replays_) {
    if (replay->claim()) return replay.get();
    // In a child: its threads are gone, and what they had in hand is not touched.
    if (replay->is_lost()) static_cast<void>(replay.release());
  }
  std::erase(replays_, nullptr);
  if (!may_have_another()) return nullptr;
  replays_.push_back(make());
  static_cast<void>(replays_.back()->claim());
  return replays_.back().get();
}

bool Replays::has_any() const {
  const MutexLock lock(taking());
  return !replays_.empty();
}

/// Null where none becomes free.
Replay* Replays::await_claim() {
  Replay* replay = claim();
  if (replay == nullptr && has_any()) {
    const PendingCount& count = scheduler_.count();
    HeldBack held_back(scheduler_, count.completed());
    while (replay == nullptr && held_back.wait(count.completed())) replay = claim();
  }
  return replay;
}

bool Replays::submit_claimed(Replay& replay, const Replay::Call& call) {
  if (!replay.prepare(call)) {
    replay.unclaim();
    return false;
  }
  replay.submit(call, shared_from_this());
  return true;
}

bool Replays::submit(const Replay::Call& call) {
  if (Repeats* const repeats = scheduler_.repeats()) repeats->interrupt();
  Replay* const replay = await_claim();
  return replay != nullptr && submit_claimed(*replay, call);
}

bool Replays::try_submit(const Replay::Call& call) {
  Replay* const replay = claim();
  return replay != nullptr && submit_claimed(*replay, call);
}

}  // namespace stretto
