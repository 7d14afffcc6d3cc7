#include "cli/bench/first_replay.h"

#include <cstdint>

#include <fmt/format.h>

#include <stretto/base/error.h>
#include <stretto/tensor/devices.h>
#include <stretto/tensor/repeat_statistics.h>

#include "cli/seconds.h"

namespace stretto::cli {

std::optional<FirstReplay> until_first_replay(int most_calls, const std::function<void()>& call,
                                              const std::function<bool()>& is_replayed) {
  FirstReplay first;
  while (!is_replayed()) {
    if (first.calls == most_calls) return std::nullopt;
    first.seconds += seconds_of([&] {
      call();
      wait_all();
    });
    ++first.calls;
  }
  return first;
}

FirstReplay until_first_found_replay(const std::function<void()>& call) {
  // Where machines are busy, what was held is left now and then, and what was left often is looked for again the later.
  constexpr int most_calls = 3000;
  const std::uint64_t before = repeat_statistics().sections;
  const auto first = until_first_replay(most_calls, call, [before] { return repeat_statistics().sections > before; });
  if (!first) {
    throw Error(
        fmt::format("bench repeats: nothing was replayed in {} calls; the serial engine, a timeline and "
                    "programs of less than 16 tasks have no replays",
                    most_calls));
  }
  return *first;
}

}  // namespace stretto::cli
