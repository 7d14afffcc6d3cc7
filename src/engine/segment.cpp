#include "engine/segment.h"

#include "backend/recorded_work.h"

namespace stretto {
namespace {

// One node is launched as fast as a recording of it; of very many, each recording would take too long and too much.
constexpr std::size_t fewest_nodes = 2, most_nodes = std::size_t{1} << 15;

bool is_worth_recording(const Template& replayed, bool records) {
  return records && replayed.nodes().size() >= fewest_nodes && replayed.nodes().size() <= most_nodes;
}

}  // namespace

Segment::Segment(const Template& replayed, std::uint32_t streams, bool may_record)
    : plan(SegmentPlan::make(replayed, streams)),
      address_of_slot(replayed.slots().size(), not_addressed),
      branches(is_worth_recording(replayed, may_record) ? SegmentPlan::make(replayed, recorder_lanes) : SegmentPlan()),
      records(is_worth_recording(replayed, may_record)) {
  using Kind = Template::SlotKind;
  for (const Kind kind : {Kind::argument, Kind::result, Kind::captured}) {
    for (std::uint32_t slot = 0; slot < replayed.slots().size(); ++slot) {
      const Template::Slot& one = replayed.slots()[slot];
      if (one.kind != kind || !one.used) continue;
      address_of_slot[slot] = static_cast<std::uint32_t>(addressed.size());
      addressed.push_back({.slot = slot, .is_result = kind == Kind::result, .bytes = one.bytes});
    }
  }
}

}  // namespace stretto
