#include "backends/sim/sim_backend.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>

#include "backends/body_executor.h"
#include "base/environment.h"

/// Present where the thread sanitizer is linked.
extern "C" __attribute__((weak)) void __tsan_init();

namespace stretto {
namespace {

using std::chrono::milliseconds;

std::ptrdiff_t thread_count() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

/// A thread that has been joined is listed for a moment longer.
bool thread_count_becomes(std::ptrdiff_t count) {
  for (int i = 0; i < 1000 && thread_count() != count; ++i) std::this_thread::sleep_for(milliseconds(1));
  return thread_count() == count;
}

void finish(Lane& lane) {
  Event* event = lane.record();
  while (!event->complete()) std::this_thread::yield();
  lane.release(event);
}

BodyWork nothing() {
  BodyWork work;
  work.body = [](KernelContext&) {};
  return work;
}

TEST(SimBackend, HasWhatTheOptionsSay) {
  SimBackend backend({.devices = 2, .streams = 5, .memory_bytes = 1 << 20, .schedule_seed = std::nullopt});
  EXPECT_EQ(backend.device_count(), 2);
  EXPECT_EQ(backend.lanes(1).size(), 8U);
  EXPECT_EQ(backend.memory(1).capacity(), std::size_t{1} << 20);
  EXPECT_EQ(backend.describe(0).compute_units, 5);
  EXPECT_FALSE(backend.host_accessible());
  EXPECT_TRUE(backend.absence().empty());
}

TEST(SimBackend, ADeviceWhoseValuesMeanNothingSaysSo) {
  SimBackend backend({.devices = 2,
                      .streams = 1,
                      .memory_bytes = 1 << 20,
                      .schedule_seed = std::nullopt,
                      .each = parse_sim_model("sim:1.dry", 2)});
  EXPECT_EQ(backend.describe(0).name, "simulated device");
  EXPECT_EQ(backend.describe(1).name, "simulated device, dry");
}

TEST(SimBackend, WithoutDevicesItSaysHowToGetThem) {
  SimBackend backend(SimOptions{});
  EXPECT_EQ(backend.device_count(), 0);
  EXPECT_NE(backend.absence().find("STRETTO_SIM_DEVICES"), std::string::npos);
}

TEST(SimBackend, ManyDevicesShareHalfOfTheHost) {
  SimBackend one({.devices = 1, .streams = 1, .memory_bytes = std::nullopt, .schedule_seed = std::nullopt});
  SimBackend many({.devices = 8, .streams = 1, .memory_bytes = std::nullopt, .schedule_seed = std::nullopt});
  EXPECT_NEAR(static_cast<double>(many.memory(7).capacity()) * 4, static_cast<double>(one.memory(0).capacity()), 4096);
}

TEST(SimBackend, IsRegisteredAndReadsTheEnvironment) {
  const BackendFactory factory = backend_factory(DeviceKind::sim);
  ASSERT_NE(factory, nullptr);
  BodyExecutor executor;
  const auto backend = factory(executor);
  EXPECT_EQ(backend->kind(), DeviceKind::sim);
  EXPECT_EQ(backend->device_count(), environment().sim_devices);
}

TEST(SimBackend, ThreadsStartWithTheFirstCommandOfALane) {
  std::jthread([] {}).join();  // A sanitizer starts a thread of its own beside the first one.
  std::this_thread::sleep_for(milliseconds(10));
  const auto before = thread_count();
  {
    SimBackend backend({.devices = 2, .streams = 4, .memory_bytes = 4096, .schedule_seed = std::nullopt});
    BodyExecutor executor;
    for (Lane* lane : backend.lanes(1)) finish(*lane);
    EXPECT_EQ(thread_count(), before) << "an event of an idle lane needs no thread";
    BodyWork work = nothing();
    backend.lanes(0)[0]->issue(work, executor);
    finish(*backend.lanes(0)[0]);
    EXPECT_EQ(thread_count(), before + 1);
  }
  EXPECT_TRUE(thread_count_becomes(before));
}

TEST(SimBackend, KernelsRunTheirChunksInOrderOnTheLanesThread) {
  SimBackend backend({.devices = 1, .streams = 1, .memory_bytes = 4096, .schedule_seed = std::nullopt});
  BodyExecutor executor;
  std::vector<std::int64_t> chunks;
  BodyWork work;
  work.body = [&](KernelContext& context) {
    EXPECT_EQ(context.native_stream(), nullptr);
    context.parallel_for(5, [&](std::int64_t chunk) { chunks.push_back(chunk); });
  };
  backend.lanes(0)[0]->issue(work, executor);
  finish(*backend.lanes(0)[0]);
  EXPECT_EQ(chunks, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
}

TEST(SimBackend, StopEndsLanesThatWaitAndDropsWhatIsQueued) {
  std::atomic<bool> gate = false;
  std::atomic<bool> first_began = false;
  std::atomic<bool> dropped_ran = false;
  BodyWork first;
  BodyWork second;
  first.body = [&](KernelContext&) {
    first_began = true;
    while (!gate) std::this_thread::sleep_for(milliseconds(1));
  };
  second.body = [&](KernelContext&) { dropped_ran = true; };
  BodyExecutor executor;
  SimBackend backend({.devices = 1, .streams = 2, .memory_bytes = 4096, .schedule_seed = std::nullopt});
  Lane& lane = *backend.lanes(0)[0];
  Lane& waiting = *backend.lanes(0)[1];
  lane.issue(first, executor);
  Event* event = lane.record();
  waiting.wait(*event);
  waiting.issue(second, executor);
  Event* behind = waiting.record();
  while (!first_began) std::this_thread::yield();
  std::jthread opener([&] {
    std::this_thread::sleep_for(milliseconds(20));
    gate = true;
  });
  backend.stop();
  EXPECT_TRUE(gate) << "the command a lane is at is finished";
  EXPECT_FALSE(dropped_ran);
  EXPECT_FALSE(behind->complete());
  Event* afterwards = waiting.record();
  EXPECT_FALSE(afterwards->complete()) << "behind what was dropped";
}

TEST(SimBackend, TheChildOfAForkStartsAnew) {
  if (__tsan_init != nullptr) GTEST_SKIP() << "the thread sanitizer cannot follow threads of a forked child";
  BodyExecutor executor;
  SimBackend backend({.devices = 1, .streams = 1, .memory_bytes = 4096, .schedule_seed = std::nullopt});
  Lane& lane = *backend.lanes(0)[0];
  std::atomic<bool> gate = false;
  std::atomic<bool> began = false;
  BodyWork busy;
  busy.body = [&](KernelContext&) {
    began = true;
    while (!gate) std::this_thread::sleep_for(milliseconds(1));
  };
  lane.issue(busy, executor);
  while (!began) std::this_thread::yield();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(10);
    backend.reset_after_fork();
    int value = 0;
    BodyWork work;
    work.body = [&](KernelContext&) { value = 7; };
    lane.issue(work, executor);
    finish(lane);
    backend.stop();
    _exit(value);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  gate = true;
  finish(lane);
}

TEST(SimMemory, ReleasedMemoryIsPoisonedAndJoined) {
  SimMemory memory(1 << 20);
  std::byte* const first = memory.allocate(1000);
  std::byte* const second = memory.allocate(500'000);
  std::byte* const third = memory.allocate(500'000);
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(memory.allocate(100'000), nullptr);
  first[999] = second[0] = second[499'999] = std::byte{1};
  memory.release(first, 1000);
  memory.release(third, 500'000);
  memory.release(second, 500'000);
  EXPECT_EQ(first[999], std::byte{0xFF});
  EXPECT_EQ(second[0], std::byte{0xFF});
  EXPECT_EQ(second[499'999], std::byte{0xFF});
  EXPECT_EQ(memory.allocate(1 << 20), first) << "all of it is one range again";
}

TEST(SimMemory, ASystemThatRefusesIsNoEnd) {
  SimMemory memory(std::size_t{1} << 62);
  EXPECT_EQ(memory.allocate(4096), nullptr);
}

}  // namespace
}  // namespace stretto
