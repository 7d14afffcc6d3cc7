#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ordering/point.h"

namespace stretto {

/// A vector clock over in-order lanes: for each lane, the newest sequence number that is known to come before.
class Clock {
 public:
  bool dominates(Point point) const {
    return !point || (point.lane() < newest_.size() && newest_[point.lane()] >= point.sequence());
  }
  void advance(Point point) {
    if (!point) return;
    if (newest_.size() <= point.lane()) newest_.resize(point.lane() + std::size_t{1});
    newest_[point.lane()] = std::max(newest_[point.lane()], point.sequence());
  }
  void merge(const Clock& other) {
    if (newest_.size() < other.newest_.size()) newest_.resize(other.newest_.size());
    for (std::size_t lane = 0; lane < other.newest_.size(); ++lane)
      newest_[lane] = std::max(newest_[lane], other.newest_[lane]);
  }

 private:
  std::vector<std::uint64_t> newest_;
};

}  // namespace stretto
