#include <gtest/gtest.h>

#include "cli/run_command.h"

namespace {

TEST(SimModelCommand, AMistakeInTheModelIsOneLine) {
  const CommandResult result =
      run_command({"info"}, {"STRETTO_SIM_DEVICES=1", "STRETTO_SIM_MODEL=h200,sim:0.launch=slow"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(
      result.errors,
      "stretto: environment variable STRETTO_SIM_MODEL=h200,sim:0.launch=slow: \"launch=slow\": the value must be a "
      "time, such as 800ns, 3us or 2ms\n");
}

}  // namespace
