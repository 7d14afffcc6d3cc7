// What a replay on in-order lanes records, to have it launched in one go.

#include <utility>

#include <stretto/base/error.h>

#include "base/log.h"
#include "engine/lane_replay.h"
#include "engine/launcher.h"

namespace stretto {

const RecordedSegments::Addresses& LaneReplay::look_up_addresses() {
  addresses_.clear();
  for (const Segment::AddressedSlot& one : segment_->addressed) addresses_.push_back(buffers_[one.slot]->data());
  return addresses_;
}

void LaneReplay::bind_where_recorded(const Task& task) {
  if (!segment_->records.load(std::memory_order_relaxed)) return;
  std::vector<MemoryPool::Place> places;
  recorded_.for_each_with_inputs(look_up_addresses(), [&](const RecordedSegment& recorded) {
    places.clear();
    for (std::size_t i = 0; i < addresses_.size(); ++i) {
      if (!segment_->addressed[i].is_result) continue;
      // Somebody else may have bound it, when there was no memory for all of them.
      if (addresses_[i] != nullptr) return true;
      places.push_back({recorded.addresses[i], segment_->addressed[i].bytes});
    }
    if (!device_.memory->has_all(places)) return false;
    std::size_t next = 0;
    for (const Segment::AddressedSlot& one : segment_->addressed)
      if (one.is_result) scheduler_.try_bind_at(*buffers_[one.slot], places[next++].data, task);
    return true;
  });
}

RecordedSegment* LaneReplay::choose_recorded() {
  if (!segment_->records.load(std::memory_order_relaxed)) return nullptr;
  // What has failed is not to run, and what was recorded runs as a whole.
  if (any_failed_.load(std::memory_order_acquire)) return nullptr;
  launched_ = recorded_.find(look_up_addresses());
  if (launched_ == nullptr)
    if (const std::string problem = recorded_.problem(); !problem.empty()) [[unlikely]]
      refuse_recording(problem);
  return launched_.get();
}

bool LaneReplay::wants_recording() {
  return segment_->records.load(std::memory_order_relaxed) && !any_failed_.load(std::memory_order_acquire) &&
         recorded_.wants(addresses_);
}

void LaneReplay::RecordedExecutor::execute(Work& work, KernelContext& context) {
  if (replay_.is_recording_) {
    replay_.record_node(static_cast<Node&>(work).number, context);
  } else {
    replay_.execute(work, context);
  }
}

void LaneReplay::record_node(std::uint32_t number, KernelContext& context) {
  if (!recording_problem_.empty()) return;
  RunningBody running;
  running.is_recorded = true;
  const FailureReference failure = run_node(number, context, running);
  if (!failure && !running.was_refused) return;
  const std::string name = template_->nodes()[number].name;
  try {
    if (!failure) throw Error("it does more than enqueue");
    std::rethrow_exception(failure->error);
  } catch (const Error& error) {
    recording_problem_ = name + ": " + error.message();
  } catch (...) {
    recording_problem_ = name + " failed";
  }
}

std::shared_ptr<RecordedSegment> LaneReplay::end_recording(WorkRecorder& recorder) {
  is_recording_ = false;
  std::unique_ptr<RecordedWork> work = recorder.end();
  std::string problem = std::exchange(recording_problem_, {});
  if (work == nullptr && problem.empty()) problem = recorder.problem();
  if (!problem.empty() || work == nullptr) {
    refuse_recording(problem);
    return nullptr;
  }
  auto recorded = std::make_shared<RecordedSegment>(addresses_, std::move(work), nodes_.size(), device_);
  recorded_.add(recorded);
  if (!std::exchange(is_known_, true)) device_.launcher->add_recorded(*this);
  return recorded;
}

void LaneReplay::forget_recorded() {
  recorded_.clear();
  if (!is_busy()) launched_ = nullptr;
}

void LaneReplay::refuse_recording(const std::string& why) {
  recorded_.clear();
  if (!segment_->records.exchange(false)) return;
  if (log_enabled(LogLevel::info))
    log(LogLevel::info, "the replays of what was compiled at " + to_string(site_) +
                            " are issued task by task, since they cannot be recorded: " + why);
}

std::vector<std::byte*> LaneReplay::recorded_addresses(const Template::Node& node) const {
  std::vector<std::byte*> addresses;
  for (const std::uint32_t access : template_->accesses(node)) {
    const std::uint32_t slot = Template::slot_of_access(access);
    const std::uint32_t address = segment_->address_of_slot[slot];
    addresses.push_back(address == Segment::not_addressed ? buffers_[slot]->data() : launched_->addresses[address]);
  }
  return addresses;
}

}  // namespace stretto
