#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/recorded_work.h"
#include "engine/segment.h"

namespace stretto {

struct EngineDevice;

/// The nodes of one replay as its device launches them at once, for the addresses that its buffers had.
struct RecordedSegment {
  using Addresses = std::vector<std::byte*>;
  enum class State : std::uint8_t { unready, ready, refused };

  RecordedSegment(Addresses recorded_for, std::unique_ptr<RecordedWork> recorded, std::size_t nodes,
                  EngineDevice& on_device);
  ~RecordedSegment();
  RecordedSegment(const RecordedSegment&) = delete;
  RecordedSegment& operator=(const RecordedSegment&) = delete;

  const Addresses addresses;  ///< Of `Segment::addressed`.
  const std::unique_ptr<RecordedWork> work;
  const std::size_t node_count;
  EngineDevice& device;
  std::atomic<State> state{State::unready};
  std::string problem;              ///< Behind `state`, where it is refused.
  std::uint64_t last_launched = 0;  ///< The launcher's.
};

/// What one replay has recorded: a few, each for addresses that recur. Used by the launcher's thread alone.
class RecordedSegments {
 public:
  using Addresses = RecordedSegment::Addresses;

  RecordedSegments(std::shared_ptr<Segment> segment, EngineDevice& device)
      : segment_(std::move(segment)), device_(device) {}

  /// What is ready to be launched with these addresses, or null.
  std::shared_ptr<RecordedSegment> find(const Addresses& addresses);
  /// Calls `function(recorded)`, until it returns true, for those that were recorded with these addresses but for those
  /// of results; the one that was launched longest ago first.
  template <typename Function>
  void for_each_with_inputs(const Addresses& addresses, Function function);
  /// Whether nodes should be recorded with these addresses, which nothing is recorded for: where there were few
  /// recordings yet, or the addresses have been here before.
  bool wants(const Addresses& addresses);
  void add(std::shared_ptr<RecordedSegment> recorded);
  void clear() { recorded_.clear(); }
  /// Why one of them could not be made ready, or empty.
  std::string problem() const;

 private:
  static constexpr std::size_t most_recorded = 6;
  static constexpr std::size_t recorded_at_once = 2;  ///< Without seeing addresses twice.
  /// Where so many were recorded and each was launched less often than that, addresses do not recur.
  static constexpr std::uint64_t recordings_until_hopeless = 32, launches_wanted = 4;

  const std::shared_ptr<Segment> segment_;
  EngineDevice& device_;
  std::vector<std::shared_ptr<RecordedSegment>> recorded_;
  std::array<std::size_t, 16> seen_{};  ///< Hashes of addresses that were not recorded.
  std::size_t next_seen_ = 0;
  std::uint64_t recordings_ = 0;
  std::uint64_t launches_ = 0;
};

template <typename Function>
void RecordedSegments::for_each_with_inputs(const Addresses& addresses, Function function) {
  std::vector<RecordedSegment*> fitting;
  for (const auto& one : recorded_) {
    bool fits = one->state.load(std::memory_order_acquire) != RecordedSegment::State::refused;
    for (std::size_t i = 0; fits && i < addresses.size(); ++i)
      fits = segment_->addressed[i].is_result || addresses[i] == one->addresses[i];
    if (fits) fitting.push_back(one.get());
  }
  std::ranges::sort(fitting, {}, &RecordedSegment::last_launched);
  for (RecordedSegment* const one : fitting)
    if (function(*one)) return;
}

}  // namespace stretto
