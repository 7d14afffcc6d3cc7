#pragma once

#include <cstdint>

#include "base/thread.h"

namespace stretto {

/// Decides which of a thread's submissions are searched for repeats. Searching takes some nanoseconds each: where it
/// has found nothing for long, and submissions are as quick as that, it rests now and then, so that it takes a fiftieth
/// of the time.
class SearchTime {
 public:
  using Clock = SteadyClock::time_point (*)();
  /// Two of the longest periods that are found: for so long nothing has to be found before it rests.
  static constexpr std::uint32_t longest_search = 1 << 14;

  explicit SearchTime(Clock clock = &SteadyClock::now) : clock_(clock) {}

  /// Whether the next submission is left out. Nothing but a count while a rest goes on.
  bool rests() {
    if (left_ == 0) return false;
    --left_;
    return true;
  }
  /// Where `rests` says no: whether it does go on, and the next submission is left out, too.
  bool rests_on() { return parts_left_ > 0 && go_on(); }
  /// One more was searched, and nothing is expected behind it. True where a rest begins behind it. `matches`: it came
  /// before, though; then it may be a while until it is known what to expect.
  bool note_searched(bool matches) {
    if (searched_ == 0) began_ = clock_();
    return ++searched_ >= (matches ? 4 * longest_search : longest_search) && begin_rest();
  }
  /// What was found saved time.
  void note_success() { searched_ = 0; }

 private:
  bool begin_rest();
  bool go_on();

  Clock clock_;
  std::uint32_t left_ = 0;        ///< Of this part of a rest.
  std::uint32_t parts_left_ = 0;  ///< Behind each it is looked whether it has lasted for too long.
  std::uint32_t searched_ = 0;    ///< Since something was found, or the last rest.
  SteadyClock::time_point began_;
  SteadyClock::time_point latest_end_;
};

}  // namespace stretto
