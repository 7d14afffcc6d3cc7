#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/segment_plan.h"
#include "engine/template.h"

namespace stretto {

/// What the replays of a template on in-order lanes have in common.
struct Segment {
  /// For a device with so many streams. `records`: it may have the nodes recorded, to launch them in one go.
  Segment(const Template& replayed, std::uint32_t streams, bool records);

  /// What a recording of it is good for: these slots, whose memory is not the same in all replays, at the addresses
  /// that they had. Arguments come first, then results.
  struct AddressedSlot {
    std::uint32_t slot;
    bool is_result;
    std::size_t bytes;  ///< Of results.
  };
  static constexpr std::uint32_t not_addressed = ~std::uint32_t{0};

  const SegmentPlan plan;
  std::vector<AddressedSlot> addressed;
  std::vector<std::uint32_t> address_of_slot;  ///< Which of those a slot is, or `not_addressed`.
  const SegmentPlan branches;  ///< For the lanes of a recorder; without steps where nothing is recorded.
  std::atomic<bool> records;   ///< Until something could not be recorded.

  /// Where results of replays were, the launcher's: those of later ones are bound there again, in this order, so that
  /// what becomes an argument of the next call recurs, however many blocks the pool has.
  std::vector<std::vector<std::byte*>> result_sets;
  static constexpr std::size_t most_result_sets = 4;
  std::size_t next_result_set = 0;  ///< Which one is replaced next.
};

}  // namespace stretto
