#include "engine/recorded_segments.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/mutation.h"
#include "engine/devices.h"

namespace stretto {
namespace {

// What all recordings of a device's have together at most: some hundred bytes of its memory each.
constexpr std::size_t most_nodes_of_a_device = std::size_t{1} << 17;

std::size_t hash_of(const RecordedSegment::Addresses& addresses) {
  std::size_t hash = 1;
  for (const std::byte* const address : addresses)
    hash = hash * 0x9e3779b97f4a7c15u + std::hash<const std::byte*>()(address);
  return hash;
}

bool are_same(const RecordedSegment::Addresses& some, const RecordedSegment::Addresses& others) {
  const std::ptrdiff_t first = is_broken(Mutation::segment_address) && !some.empty() ? 1 : 0;
  return std::equal(some.begin() + first, some.end(), others.begin() + first, others.end());
}

}  // namespace

RecordedSegment::RecordedSegment(Addresses recorded_for, std::unique_ptr<RecordedWork> recorded, std::size_t nodes,
                                 EngineDevice& on_device)
    : addresses(std::move(recorded_for)), work(std::move(recorded)), node_count(nodes), device(on_device) {
  device.recorded_nodes.fetch_add(node_count, std::memory_order_relaxed);
}

RecordedSegment::~RecordedSegment() { device.recorded_nodes.fetch_sub(node_count, std::memory_order_relaxed); }

std::shared_ptr<RecordedSegment> RecordedSegments::find(const Addresses& addresses) {
  for (const auto& one : recorded_) {
    if (one->state.load(std::memory_order_acquire) != RecordedSegment::State::ready) continue;
    if (!are_same(addresses, one->addresses)) continue;
    one->last_launched = ++launches_;
    return one;
  }
  return nullptr;
}

bool RecordedSegments::wants(const Addresses& addresses) {
  const auto is_same = [&](const auto& one) { return one->addresses == addresses; };
  if (std::ranges::any_of(recorded_, is_same)) return false;  // It is being made ready.
  if (recordings_ >= recordings_until_hopeless && launches_ < launches_wanted * recordings_) return false;
  if (recordings_ >= recorded_at_once) {
    const std::size_t hash = hash_of(addresses);
    if (std::ranges::find(seen_, hash) == seen_.end()) {
      seen_[next_seen_++ % seen_.size()] = hash;
      return false;
    }
  }
  const std::size_t nodes = segment_->branches.steps.size();
  return device_.recorded_nodes.load(std::memory_order_relaxed) + nodes <= most_nodes_of_a_device;
}

void RecordedSegments::add(std::shared_ptr<RecordedSegment> recorded) {
  if (recorded_.size() == most_recorded)
    recorded_.erase(std::ranges::min_element(recorded_, {}, [](const auto& one) { return one->last_launched; }));
  ++recordings_;
  recorded->last_launched = launches_;
  recorded_.push_back(std::move(recorded));
}

std::string RecordedSegments::problem() const {
  for (const auto& one : recorded_)
    if (one->state.load(std::memory_order_acquire) == RecordedSegment::State::refused) return one->problem;
  return {};
}

}  // namespace stretto
