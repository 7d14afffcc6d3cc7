#include "engine/template.h"

#include <algorithm>
#include <numeric>

namespace stretto {

std::span<const std::uint32_t> Template::Lists::of(std::uint32_t node) const {
  const auto found = std::ranges::lower_bound(nodes, node);
  if (found == nodes.end() || *found != node) return {};
  const auto at = static_cast<std::size_t>(found - nodes.begin());
  return std::span(numbers).subspan(first[at], first[at + 1] - first[at]);
}

Template::Lists Template::Lists::make(std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  std::ranges::sort(pairs);
  const auto surplus = std::ranges::unique(pairs);
  pairs.erase(surplus.begin(), surplus.end());
  Template::Lists lists;
  for (const auto& [node, number] : pairs) {
    if (lists.nodes.empty() || lists.nodes.back() != node) {
      lists.nodes.push_back(node);
      lists.first.push_back(static_cast<std::uint32_t>(lists.numbers.size()));
    }
    lists.numbers.push_back(number);
  }
  lists.first.push_back(static_cast<std::uint32_t>(lists.numbers.size()));
  return lists;
}

std::size_t Template::place_bytes() const { return std::accumulate(places_.begin(), places_.end(), std::size_t{0}); }

std::vector<bool> Template::needed_by(std::uint32_t port) const {
  std::vector<bool> needed(nodes_.size());
  // Successors have larger numbers.
  for (auto node = static_cast<std::uint32_t>(nodes_.size()); node-- > 0;) {
    const Node& one = nodes_[node];
    bool is_needed = one.closes_ports && std::ranges::count(ports_closed_by(node), port) > 0;
    for (const std::uint32_t successor : successors(one)) is_needed = is_needed || needed[successor];
    needed[node] = is_needed;
  }
  return needed;
}

}  // namespace stretto
