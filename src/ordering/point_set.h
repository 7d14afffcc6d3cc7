#pragma once

#include <algorithm>
#include <vector>

#include "ordering/point.h"

namespace stretto {

/// The newest point of each lane that touched something: at most one point a lane. Usually empty or of one element.
class PointSet {
 public:
  bool empty() const { return points_.empty(); }
  auto begin() const { return points_.begin(); }
  auto end() const { return points_.end(); }
  void clear() { points_.clear(); }

  void add(Point point) {
    if (!point) return;
    for (Point& mine : points_) {
      if (mine.lane() != point.lane()) continue;
      if (point.sequence() > mine.sequence()) mine = point;
      return;
    }
    points_.push_back(point);
  }
  void merge(const PointSet& other) {
    for (const Point point : other) add(point);
  }

  /// True when every point is done; forgets those that are.
  bool settle(const LaneProgress& progress) {
    std::erase_if(points_, [&](Point point) { return progress.complete(point); });
    return points_.empty();
  }

 private:
  std::vector<Point> points_;
};

}  // namespace stretto
