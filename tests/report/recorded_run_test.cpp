#include <gtest/gtest.h>
#include <stretto/report/run.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <stretto/base/temporary_file.h>
#include <stretto/ops/creation.h>
#include <stretto/ops/matmul.h>
#include <stretto/report/chain.h>
#include <stretto/report/overlap.h>
#include <stretto/report/what_if.h>
#include <stretto/tensor/devices.h>
#include <stretto/trace/session.h>

namespace stretto::report {
namespace {

/// Two chains of products that do not depend on each other, each on its own device where there are two; every product
/// is copied to the CPU.
[[noreturn]] void record_two_chains() {
  const Device first = sim(0), second = sim(device_count(DeviceKind::sim) - 1);
  Tensor x1 = ones({64, 64}, first), x2 = ones({64, 64}, second);
  const Tensor half1 = full({64, 64}, 1.0 / 64, first), half2 = full({64, 64}, 1.0 / 64, second);
  // The first kernel and copy of a device start its threads.
  matmul(half1, half1).to(cpu());
  matmul(half2, half2).to(cpu());
  wait_all();
  {
    trace::Session session(std::getenv("STRETTO_TEST_FILE"));
    std::vector<Tensor> copies;
    for (int i = 0; i < 20; ++i) {
      x1 = matmul(x1, half1);
      x2 = matmul(x2, half2);
      copies.push_back(x1.to(cpu()));
      copies.push_back(x2.to(cpu()));
    }
    wait_all();
  }
  std::exit(0);
}

/// What was recorded on so many simulated devices, which take 2 ms a product and 0.5 ms a copy.
report::Run recorded(const char* devices) {
  setenv("STRETTO_SIM_DEVICES", devices, 1);
  EXPECT_EXIT(record_two_chains(), testing::ExitedWithCode(0), "");
  return read_run(std::getenv("STRETTO_TEST_FILE"));
}

TEST(RecordedRun, TellsOfOverlapAndOfOtherMachines) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // The test begins anew in the processes that record, and finds the settings there.
  const TemporaryFile file("run");
  setenv("STRETTO_TEST_FILE", file.path().c_str(), 0);
  setenv("STRETTO_SIM_MODEL", "float32=262M,to_host=32M", 1);
  // Time moves as the model says: what else this machine does is not seen.
  setenv("STRETTO_SCHEDULE", "deterministic:0", 1);
  const report::Run one = recorded("1"), two = recorded("2");
  ASSERT_EQ(one.tasks.size(), 80u);
  ASSERT_EQ(two.tasks.size(), 80u);

  // Copy i runs beside product i + 1.
  EXPECT_GT(overlap(one).hidden(), 0.8);
  EXPECT_LT(overlap(one).ratio(), 1.2);
  EXPECT_LT(bound(one).ratio(), 1.2);

  const auto total = [](const report::Run& run) { return static_cast<double>(run.end() - run.begin()); };
  EXPECT_NEAR(static_cast<double>(predict(one, {}).total), total(one), 0.1 * total(one));
  EXPECT_NEAR(static_cast<double>(predict(two, {}).total), total(two), 0.1 * total(two));
  EXPECT_NEAR(static_cast<double>(predict(one, {.devices = 2}).total), total(two), 0.15 * total(two));
  for (const char* name : {"STRETTO_TEST_FILE", "STRETTO_SIM_DEVICES", "STRETTO_SIM_MODEL", "STRETTO_SCHEDULE"}) {
    unsetenv(name);
  }
}

}  // namespace
}  // namespace stretto::report
