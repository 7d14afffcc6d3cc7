#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/run_command.h"

namespace {

/// Behind this a program starts no threads: the stack of each would be larger than the address space.
const std::string no_threads = "ulimit -s 8388608 && ulimit -v 4194304 &&";

CommandResult run_without_threads(const std::vector<std::string>& arguments) {
  return run_command(arguments, {}, "/dev/null", no_threads);
}

TEST(Threads, ThatCannotBeStartedAreAFailureInOneLine) {
  const TemporaryFolder folder;
  folder.write_data_set(64, 10);
  const CommandResult result =
      run_without_threads({"train", "fashion-mnist", "--data", folder.path(), "--epochs", "1", "--cpu-devices", "1"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("nothing can run on cpu:0: the system starts no more threads: "), std::string::npos)
      << result.errors;
  EXPECT_TRUE(result.errors.starts_with("stretto: [")) << result.errors;
  EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
}

TEST(Threads, ThatMeasureTheCoresAreAFailureInOneLine) {
  const CommandResult result = run_without_threads({"bench", "ops", "--count", "10", "--repeat", "1"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("the system starts no more threads: "), std::string::npos) << result.errors;
  EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
}

}  // namespace
