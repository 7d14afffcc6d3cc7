#include "engine/segment_plan.h"

#include <algorithm>

#include "base/mutation.h"

namespace stretto {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

/// Chooses streams node by node.
class Planner {
 public:
  Planner(const Template& replayed, std::uint32_t streams)
      : template_(replayed),
        first_predecessor_(replayed.nodes().size() + 1),
        tails_(std::max(streams, 1u), none),
        lengths_(tails_.size()),
        seen_(replayed.nodes().size() * tails_.size(), 0) {
    sort_predecessors();
  }

  SegmentPlan plan() {
    const auto count = static_cast<std::uint32_t>(template_.nodes().size());
    for (std::uint32_t node = 0; node < count; ++node) place(node);
    for (const std::uint32_t tail : tails_)
      if (tail != none) plan_.last_nodes.push_back(tail);
    return std::move(plan_);
  }

 private:
  void sort_predecessors() {
    const std::vector<Template::Node>& nodes = template_.nodes();
    for (const Template::Node& node : nodes)
      for (const std::uint32_t successor : template_.successors(node)) ++first_predecessor_[successor + 1];
    for (std::size_t i = 1; i < first_predecessor_.size(); ++i) first_predecessor_[i] += first_predecessor_[i - 1];
    predecessors_.resize(first_predecessor_.back());
    std::vector<std::uint32_t> next(first_predecessor_.begin(), first_predecessor_.end() - 1);
    for (std::uint32_t node = 0; node < nodes.size(); ++node)
      for (const std::uint32_t successor : template_.successors(nodes[node])) predecessors_[next[successor]++] = node;
  }

  std::span<const std::uint32_t> predecessors(std::uint32_t node) const {
    return std::span(predecessors_)
        .subspan(first_predecessor_[node], first_predecessor_[node + 1] - first_predecessor_[node]);
  }
  /// Of a node and each stream: one more than the last node there that is known to be done when it begins.
  std::span<std::uint32_t> seen(std::uint32_t node) {
    return std::span(seen_).subspan(node * tails_.size(), tails_.size());
  }

  /// Goes on behind a predecessor that nobody follows yet; a branch takes the stream that has the least, and of those
  /// the first, so that no more are used than there are branches.
  std::uint32_t choose_stream(std::uint32_t node) const {
    for (const std::uint32_t before : predecessors(node)) {
      const std::uint32_t stream = plan_.steps[before].stream;
      if (tails_[stream] == before) return stream;
    }
    return static_cast<std::uint32_t>(std::ranges::min_element(lengths_) - lengths_.begin());
  }

  void place(std::uint32_t node) {
    const std::uint32_t stream = choose_stream(node);
    const std::span<std::uint32_t> known = seen(node);
    if (tails_[stream] != none) {
      std::ranges::copy(seen(tails_[stream]), known.begin());
      known[stream] = tails_[stream] + 1;
    }
    const auto first_wait = static_cast<std::uint32_t>(plan_.waited_for.size());
    // The latest first: it may have waited for the others.
    const std::span<const std::uint32_t> before = predecessors(node);
    for (std::size_t i = before.size(); i-- > 0;) {
      const std::uint32_t other = plan_.steps[before[i]].stream;
      if (known[other] > before[i]) continue;
      plan_.waited_for.push_back(before[i]);
      const std::span<const std::uint32_t> theirs = seen(before[i]);
      for (std::size_t one = 0; one < known.size(); ++one) known[one] = std::max(known[one], theirs[one]);
      known[other] = before[i] + 1;
    }
    if (is_broken(Mutation::segment_wait)) [[unlikely]]
      plan_.waited_for.resize(first_wait);
    plan_.steps.push_back({.stream = stream,
                           .first_wait = first_wait,
                           .wait_count = static_cast<std::uint32_t>(plan_.waited_for.size()) - first_wait});
    tails_[stream] = node;
    ++lengths_[stream];
  }

  const Template& template_;
  std::vector<std::uint32_t> predecessors_;
  std::vector<std::uint32_t> first_predecessor_;
  std::vector<std::uint32_t> tails_;    ///< The last node of each stream.
  std::vector<std::uint32_t> lengths_;  ///< How many nodes each has.
  std::vector<std::uint32_t> seen_;
  SegmentPlan plan_;
};

}  // namespace

SegmentPlan SegmentPlan::make(const Template& replayed, std::uint32_t streams) {
  return Planner(replayed, streams).plan();
}

}  // namespace stretto
