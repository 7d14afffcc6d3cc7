#include "engine/random_program.h"

#include "engine/scenario.h"

namespace stretto {
namespace {

void run_programs(int count, const RandomProgram::Options& options) {
  for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    const std::uint64_t seed = next_seed();
    SCOPED_TRACE("ENGINE_TEST_SEED=" + std::to_string(seed));
    RandomProgram program(seed, options);
    program.run();
    program.compare_all();
    try {
      wait_all();
    } catch (const Error&) {
      EXPECT_GT(options.fails, 0);
    }
  }
}

TEST(RandomProgram, OnOneCpu) { run_programs(6, {.devices = {cpu0}}); }
TEST(RandomProgram, OnOneSimulatedDevice) { run_programs(6, {.devices = {sim0}}); }
TEST(RandomProgram, OnAllDevices) { run_programs(12, {}); }
TEST(RandomProgram, WithoutSleeps) { run_programs(12, {.tasks = 1000, .sleeps = 0, .waits = 0.001, .drops = 0.05}); }
TEST(RandomProgram, WithManyAccesses) { run_programs(6, {.arrays = 12, .most_accesses = 12}); }
TEST(RandomProgram, WithManyArrays) { run_programs(4, {.tasks = 1500, .arrays = 60, .sleeps = 0.01}); }
TEST(RandomProgram, OfWholeMatrices) { run_programs(6, {.whole_only = true}); }
TEST(RandomProgram, OfTiles) { run_programs(6, {.tasks = 800, .arrays = 3, .tiles_only = true}); }
TEST(RandomProgram, WithFailuresOfWholeMatrices) {
  run_programs(10, {.arrays = 10, .fails = 0.05, .whole_only = true});
}
TEST(RandomProgram, WithFailuresOfTiles) { run_programs(10, {.arrays = 6, .fails = 0.05, .tiles_only = true}); }

TEST(RandomProgram, OfSeveralThreads) {
  for (int round = 0; round < 3; ++round) {
    const std::uint64_t seed = next_seed();
    SCOPED_TRACE("ENGINE_TEST_SEED=" + std::to_string(seed));
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < 4; ++i)
      threads.emplace_back([=] {
        RandomProgram program(seed + 1000 * i, {});
        program.run();
        program.compare_all();
      });
    for (std::thread& thread : threads) thread.join();
    wait_all();
  }
}

const Scenario outcome("outcome", [] {
  for (std::uint64_t seed = next_seed(), i = 0; i < 8; ++i) {
    RandomProgram program(seed + i, {.fails = i % 2 ? 0.03 : 0, .waits = 0});
    program.run();
    std::fputs(program.outcome().c_str(), stdout);
    try {
      wait_all();
    } catch (const Error& error) {
      std::printf("%s\n", error.what());
    }
  }
  return 0;
});

TEST(RandomProgram, ComesToTheSameInTheSerialEngine) {
  const std::string seed = std::to_string(next_seed());
  SCOPED_TRACE("ENGINE_TEST_SEED=" + seed);
  const Ended serial = run_scenario("outcome", {{"STRETTO_ENGINE", "serial"}, {"ENGINE_TEST_SEED", seed}});
  EXPECT_EQ(serial.code, 0);
  EXPECT_NE(serial.output.find("[task] no"), std::string::npos);
  for (const char* workers : {"1", "8"}) {
    const Ended parallel = run_scenario(
        "outcome", {{"STRETTO_ENGINE", "parallel"}, {"STRETTO_WORKERS", workers}, {"ENGINE_TEST_SEED", seed}});
    EXPECT_EQ(parallel.code, 0);
    EXPECT_EQ(parallel.output, serial.output) << "with " << workers << " workers";
  }
}

}  // namespace
}  // namespace stretto
