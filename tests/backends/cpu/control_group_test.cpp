#include "backends/cpu/control_group.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace stretto {
namespace {

/// A folder that plays the root of a machine.
class ControlGroup : public testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() / ("stretto_control_group_" + std::to_string(getpid()) + "_" +
                                                      testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_.string() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  ControlGroupLimits limits() const { return control_group_limits(root_.string()); }

  std::filesystem::path root_;
};

constexpr auto unified_mount = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";

TEST_F(ControlGroup, NothingToReadIsNoLimit) {
  EXPECT_FALSE(limits().memory_bytes);
  EXPECT_FALSE(limits().processors);
}

TEST_F(ControlGroup, VersionTwo) {
  write("/proc/self/mountinfo", unified_mount);
  write("/proc/self/cgroup", "0::/job/step\n");
  write("/sys/fs/cgroup/job/step/memory.max", "1073741824\n");
  write("/sys/fs/cgroup/job/step/cpu.max", "250000 100000\n");
  EXPECT_EQ(limits().memory_bytes, std::size_t{1} << 30);
  EXPECT_EQ(limits().processors, 2.5);
}

TEST_F(ControlGroup, TheTightestAncestorCounts) {
  write("/proc/self/mountinfo", unified_mount);
  write("/proc/self/cgroup", "0::/job/step\n");
  write("/sys/fs/cgroup/job/step/memory.max", "max\n");
  write("/sys/fs/cgroup/job/step/cpu.max", "max 100000\n");
  write("/sys/fs/cgroup/job/memory.max", "4096\n");
  write("/sys/fs/cgroup/job/cpu.max", "50000 100000\n");
  write("/sys/fs/cgroup/memory.max", "8192\n");
  EXPECT_EQ(limits().memory_bytes, 4096U);
  EXPECT_EQ(limits().processors, 0.5);
}

TEST_F(ControlGroup, AContainerSeesItsGroupAtTheTop) {
  write("/proc/self/mountinfo", "30 23 0:26 /docker/1234 /sys/fs/cgroup rw - cgroup2 cgroup rw\n");
  write("/proc/self/cgroup", "0::/docker/1234\n");
  write("/sys/fs/cgroup/memory.max", "123456\n");
  EXPECT_EQ(limits().memory_bytes, 123456U);
}

TEST_F(ControlGroup, VersionOneHasAHierarchyForEach) {
  write("/proc/self/mountinfo",
        "31 30 0:27 / /sys/fs/cgroup/cpu,cpuacct rw shared:7 - cgroup cgroup rw,cpu,cpuacct\n"
        "32 30 0:28 / /sys/fs/cgroup/memory rw shared:8 - cgroup cgroup rw,memory\n");
  write("/proc/self/cgroup", "5:memory:/box\n4:cpu,cpuacct:/other\n");
  write("/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "65536\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("/sys/fs/cgroup/cpu,cpuacct/other/cpu.cfs_quota_us", "300000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/other/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(limits().memory_bytes, 65536U);
  EXPECT_EQ(limits().processors, 3.0);
}

TEST_F(ControlGroup, VersionOneWithoutLimits) {
  write("/proc/self/mountinfo", "32 30 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  write("/proc/self/cgroup", "5:memory:/\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_FALSE(limits().memory_bytes);
}

}  // namespace
}  // namespace stretto
