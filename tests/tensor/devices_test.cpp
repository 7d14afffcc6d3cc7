#include <regex>

#include "tensor/testing.h"

namespace stretto {
namespace {

TEST(Devices, AreListed) {
  EXPECT_EQ(device_count(DeviceKind::cpu), 2);
  EXPECT_EQ(device_count(DeviceKind::sim), 2);
  const std::vector<Device> expected = {cpu(0), cpu(1), sim(0), sim(1)};
  EXPECT_EQ(devices(), expected);
}

TEST(Devices, FallBackToTheCpuWhereThereIsNoGpu) {
  if (device_count(DeviceKind::cuda) > 0) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(try_gpu(), cpu());
  EXPECT_EQ(try_gpu(3), cpu());
  EXPECT_EQ(try_gpu(-1), cpu());
  EXPECT_EQ(try_all_gpus(), (std::vector<Device>{cpu(0), cpu(1)}));
  EXPECT_THROW(gpu(), DeviceError);
}

TEST(Devices, ThatAreNotThereAreNamed) {
  EXPECT_FAILURE(cpu(2), DeviceError,
                 "[cpu] there is no device cpu:2; this process has cpu:0, cpu:1, sim:0, sim:1" + here());
  EXPECT_FAILURE(sim(-1), DeviceError,
                 "[sim] there is no device sim:-1; this process has cpu:0, cpu:1, sim:0, sim:1" + here());
  EXPECT_FAILURE(synchronize(Device(DeviceKind::cpu, 5)), DeviceError,
                 "[synchronize] there is no device cpu:5; this process has cpu:0, cpu:1, sim:0, sim:1" + here());
  EXPECT_FAILURE(reset_peak_memory(Device(DeviceKind::sim, 5)), DeviceError,
                 "[reset_peak_memory] there is no device sim:5; this process has cpu:0, cpu:1, sim:0, sim:1" + here());
  EXPECT_FAILURE(empty_cache(Device(DeviceKind::sim, 5)), DeviceError,
                 "[empty_cache] there is no device sim:5; this process has cpu:0, cpu:1, sim:0, sim:1" + here());
  EXPECT_FAILURE(memory_stats(Device(DeviceKind::sim, 5)), DeviceError,
                 "[memory_stats] there is no device sim:5; this process has cpu:0, cpu:1, sim:0, sim:1" + here());
}

TEST(Devices, TheDefaultIsWhereTensorsAreMade) {
  EXPECT_EQ(empty({1}).device(), cpu(0));
  set_default_device(sim(1));
  EXPECT_EQ(default_device(), sim(1));
  EXPECT_EQ(empty({1}).device(), sim(1));
  EXPECT_EQ(from_vector<float>({1}).device(), sim(1));
  EXPECT_FAILURE(set_default_device(Device(DeviceKind::cpu, 5)), DeviceError,
                 "[set_default_device] there is no device cpu:5; this process has cpu:0, cpu:1, sim:0, sim:1" + here());
  set_default_device(cpu());
}

TEST(Devices, SynchronizeWaitsForOneDevice) {
  if (serial_engine()) GTEST_SKIP() << "the serial engine never overlaps";
  Gate gate;
  std::atomic<bool> here_done{false}, passed{false};
  task("here", cpu(0)).run([&](TaskContext&) {
    sleep_for_milliseconds(10);
    here_done = true;
  });
  task("there", cpu(1)).run([&passed, gate](TaskContext&) { passed = gate.pass(); });
  synchronize(cpu(0));
  EXPECT_TRUE(here_done);
  gate.open();
  synchronize(cpu(1));
  EXPECT_TRUE(passed);
}

TEST(Devices, BenchmarkPrintsTheTimeSinceItWasMade) {
  testing::internal::CaptureStdout();
  {
    const Benchmark benchmark("sleep");
    sleep_for_milliseconds(20);
    EXPECT_GE(benchmark.seconds(), 0.02);
  }
  const std::string printed = testing::internal::GetCapturedStdout();
  std::smatch match;
  ASSERT_TRUE(std::regex_match(printed, match, std::regex("sleep: (\\d+\\.\\d{4}) sec\n"))) << printed;
  EXPECT_GE(std::stod(match[1]), 0.02);
}

}  // namespace
}  // namespace stretto
