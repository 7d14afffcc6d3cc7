// What a replay on in-order lanes records, to have it launched in one go.

#include <algorithm>
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

std::vector<std::byte*> LaneReplay::results_in(const RecordedSegments::Addresses& addresses) const {
  std::vector<std::byte*> results;
  for (std::size_t i = 0; i < addresses.size(); ++i)
    if (segment_->addressed[i].is_result) results.push_back(addresses[i]);
  return results;
}

bool LaneReplay::bind_results(const std::vector<std::byte*>& places, const Task& task) {
  std::vector<MemoryPool::Place> wanted;
  for (const Segment::AddressedSlot& one : segment_->addressed)
    if (one.is_result) wanted.push_back({places[wanted.size()], one.bytes});
  if (!device_.memory->has_all(wanted)) return false;
  std::size_t next = 0;
  for (const Segment::AddressedSlot& one : segment_->addressed)
    if (one.is_result) scheduler_.try_bind_at(*buffers_[one.slot], wanted[next++].data, task);
  return true;
}

void LaneReplay::bind_where_recorded(const Task& task) {
  if (!may_record()) return;
  const std::vector<std::byte*> own = results_in(look_up_addresses());
  // Some may be bound already, when there was no memory for all of them.
  if (std::ranges::any_of(own, [](const std::byte* address) { return address != nullptr; })) return;
  bool bound = own.empty();
  recorded_.for_each_with_inputs(addresses_, [&](const RecordedSegment& recorded) {
    return bound = bound || bind_results(results_in(recorded.addresses), task);
  });
  for (const std::vector<std::byte*>& places : segment_->result_sets) {
    if (bound) return;
    bound = bind_results(places, task);
  }
}

/// What nobody had in mind may be bound again.
void LaneReplay::note_results() {
  std::vector<std::byte*> results = results_in(addresses_);
  std::vector<std::vector<std::byte*>>& sets = segment_->result_sets;
  if (results.empty() || std::ranges::find(sets, results) != sets.end()) return;
  if (sets.size() < Segment::most_result_sets) {
    sets.push_back(std::move(results));
  } else {
    sets[segment_->next_result_set++ % sets.size()] = std::move(results);
  }
}

RecordedSegment* LaneReplay::choose_recorded() {
  if (!may_record()) return nullptr;
  // What has failed is not to run, and what was recorded runs as a whole.
  if (any_failed_.load(std::memory_order_acquire)) return nullptr;
  launched_ = recorded_.find(look_up_addresses());
  if (launched_ == nullptr)
    if (const std::string problem = recorded_.problem(); !problem.empty()) [[unlikely]]
      refuse_recording(problem);
  return launched_.get();
}

bool LaneReplay::wants_recording() {
  if (!may_record() || any_failed_.load(std::memory_order_acquire)) return false;
  note_results();
  return recorded_.wants(addresses_);
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
    log(LogLevel::info, "the replays of what repeats at " + to_string(site_) +
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
