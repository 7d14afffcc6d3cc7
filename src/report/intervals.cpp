#include "report/intervals.h"

#include <algorithm>

namespace stretto::report {

std::vector<Intervals::Part> Intervals::merged() const {
  std::vector<Part> sorted = parts_;
  std::ranges::sort(sorted, {}, &Part::start);
  std::vector<Part> result;
  for (const Part& part : sorted) {
    if (!result.empty() && part.start <= result.back().end) {
      result.back().end = std::max(result.back().end, part.end);
    } else {
      result.push_back(part);
    }
  }
  return result;
}

Nanoseconds Intervals::total() const {
  Nanoseconds sum = 0;
  for (const Part& part : merged()) sum += part.end - part.start;
  return sum;
}

Nanoseconds Intervals::shared_with(const Intervals& other) const {
  const std::vector<Part> left = merged(), right = other.merged();
  Nanoseconds sum = 0;
  for (std::size_t i = 0, j = 0; i < left.size() && j < right.size();) {
    sum += std::max<Nanoseconds>(0, std::min(left[i].end, right[j].end) - std::max(left[i].start, right[j].start));
    if (left[i].end < right[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
  return sum;
}

}  // namespace stretto::report
