#include "cli/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace stretto::cli {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(std::string_view text, std::span<const std::string> candidates) {
  const auto best =
      std::ranges::min_element(candidates, {}, [text](const std::string& name) { return edit_distance(text, name); });
  return best == candidates.end() ? std::string() : *best;
}

}  // namespace stretto::cli
