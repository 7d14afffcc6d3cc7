#pragma once

#include <string>
#include <utility>
#include <vector>

namespace stretto {

/// Something that needs a process of its own: settings that are read once, an end of the process, a fork. Registered by
/// a global; played in a copy of the test program by `run_scenario`.
struct Scenario {
  /// `play` returns the exit code of the process; what it prints comes back to the test.
  Scenario(const char* name, int (*play)());
};

/// For main: the exit code of the scenario's `play`.
int play_scenario(const char* name);

struct Ended {
  int code = -1;  ///< The exit code; 128 and the signal where one ended it; 256 when it took too long and was killed.
  std::string output;  ///< Standard output and standard error together.
  double seconds = 0;
};

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Plays a scenario in a process with these variables added to its environment, for at most `limit` seconds.
Ended run_scenario(const std::string& name, const Variables& variables = {}, double limit = 60);

}  // namespace stretto

/// The scenario ends with code 0 and prints exactly `expected`.
#define EXPECT_SCENARIO(name, variables, expected)                       \
  do {                                                                   \
    const stretto::Ended ended = stretto::run_scenario(name, variables); \
    EXPECT_EQ(ended.code, 0) << name << " printed " << ended.output;     \
    EXPECT_EQ(ended.output, expected) << name;                           \
  } while (false)
