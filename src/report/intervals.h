#pragma once

#include <vector>

#include <stretto/report/run.h>

namespace stretto::report {

/// Stretches of time in which something went on. Those that touch or overlap count once.
class Intervals {
 public:
  /// `end` is not before `start`.
  void add(Nanoseconds start, Nanoseconds end) { parts_.push_back({start, end}); }
  /// The time in any of them.
  Nanoseconds total() const;
  /// The time in both of them.
  Nanoseconds shared_with(const Intervals& other) const;

 private:
  struct Part {
    Nanoseconds start;
    Nanoseconds end;
  };

  /// Disjoint and in the order of time.
  std::vector<Part> merged() const;

  std::vector<Part> parts_;
};

}  // namespace stretto::report
