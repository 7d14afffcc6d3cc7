#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/template.h"

namespace stretto {

/// How the nodes of a template are issued to the streams of a device: which of them goes where, and for whom it waits.
/// Never changes once made.
struct SegmentPlan {
  /// Of the node with the same number: nodes are issued in their order.
  struct Step {
    std::uint32_t stream;
    std::uint32_t first_wait;
    std::uint32_t wait_count;
  };

  /// For a device with so many streams.
  static SegmentPlan make(const Template& replayed, std::uint32_t streams);

  /// Nodes on other streams that this one waits for.
  std::span<const std::uint32_t> waits(const Step& step) const {
    return std::span(waited_for).subspan(step.first_wait, step.wait_count);
  }

  std::vector<Step> steps;
  std::vector<std::uint32_t> waited_for;
  std::vector<std::uint32_t> last_nodes;  ///< Of each stream that is used.
};

}  // namespace stretto
