#pragma once

#include <functional>
#include <optional>

#include <stretto/tensor/compile.h>

namespace stretto::cli {

/// What comes before a program is replayed.
struct FirstReplay {
  double calls = 0;    ///< Until a replay began, the one that it began in among them.
  double seconds = 0;  ///< That these calls took, their tasks included.
};

/// Calls `call`, and waits behind each call, until `is_replayed()`; null where so many calls were not enough.
std::optional<FirstReplay> until_first_replay(int most_calls, const std::function<void()>& call,
                                              const std::function<bool()>& is_replayed);
/// Of what was compiled: null where nothing is replayed from the second call on (`STRETTO_REPLAY=0`, the serial engine,
/// a timeline). What is made ready beside the program is waited for: meanwhile calls run plainly.
template <typename Compiled>
std::optional<FirstReplay> until_first_replay(const Compiled& compiled, const std::function<void()>& call) {
  constexpr int most_calls = 100'000;
  int ready_looks = 0;
  bool is_over = false;
  const auto first = until_first_replay(most_calls, call, [&] {
    const CompileStatistics counts = compiled.statistics();
    ready_looks = counts.unready == 0 ? ready_looks + 1 : 0;
    // Before the first call, behind it, and behind one that could have been a replay.
    is_over = counts.replays == 0 && ready_looks == 3;
    return counts.replays > 0 || is_over;
  });
  return is_over ? std::nullopt : first;
}
/// Of what nobody compiled. Throws Error where nothing was replayed in so many calls that it never will be.
FirstReplay until_first_found_replay(const std::function<void()>& call);

}  // namespace stretto::cli
