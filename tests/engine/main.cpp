#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include "engine/scenario.h"

// Two devices of each kind that needs no hardware, unless whoever runs the tests chose otherwise. Or one scenario, in a
// process of its own.
int main(int count, char** arguments) {
  setenv("STRETTO_CPU_DEVICES", "2", 0);
  setenv("STRETTO_SIM_DEVICES", "2", 0);
  if (const char* name = std::getenv("ENGINE_TEST_SCENARIO")) return stretto::play_scenario(name);
  testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}
