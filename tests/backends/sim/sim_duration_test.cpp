// How long work takes on devices with a model. What is looked at are moments of the devices' own time. On dry devices
// they are the model's from the moment of the last submission on, however late a thread of this machine is woken.

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <vector>

#include "backends/body_executor.h"
#include "backends/sim/sim_backend.h"
#include "kernels/sim/sim_context.h"

namespace stretto {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Devices, and what is issued to them.
class Machine {
 public:
  explicit Machine(std::string_view model, int devices = 2)
      : backend_({.devices = devices,
                  .streams = 2,
                  .memory_bytes = 64 * mebibyte,
                  .schedule_seed = std::nullopt,
                  .each = parse_sim_model(model, devices)}) {}

  Lane& lane(int device, LaneRole role, int number = 0) {
    for (Lane* lane : backend_.lanes(device))
      if (lane->role() == role && number-- == 0) return *lane;
    throw std::runtime_error("no such lane");
  }
  SimBackend& backend() { return backend_; }
  std::byte* allocate(int device, std::size_t bytes) { return backend_.memory(device).allocate(bytes); }

  void issue(Lane& lane, std::function<void(KernelContext&)> body) {
    work_.emplace_back().body = std::move(body);
    lane.issue(work_.back(), executor_);
  }
  /// A kernel of so many operations in float32.
  void kernel(Lane& lane, double flops) {
    issue(lane, [flops](KernelContext& context) { context.meter()->begin({.flops = flops}, {}); });
  }
  void copy(Lane& lane, std::byte* to, const std::byte* from, std::size_t bytes) {
    issue(lane, [=](KernelContext& context) { sim_context(context).copy(to, from, bytes); });
  }
  /// When what was issued to the lane is done, on the device.
  static SimTime end_of(Lane& lane) {
    Event* event = lane.record();
    while (!event->complete()) std::this_thread::sleep_for(microseconds(100));
    const SimTime moment = static_cast<SimEvent*>(event)->moment_for_others();
    lane.release(event);
    return moment;
  }

 private:
  std::deque<BodyWork> work_;
  BodyExecutor executor_;
  SimBackend backend_;
};

TEST(SimDuration, KernelsOfALaneTakeTheirTimeOneAfterTheOther) {
  Machine machine("dry,float32=1G,launch=1ms", 1);
  Lane& lane = machine.lane(0, LaneRole::compute);
  const SimTime before = sim_now();
  for (int i = 0; i < 5; ++i) machine.kernel(lane, 10e6);
  const SimTime issued = sim_now();
  const SimTime end = Machine::end_of(lane);
  EXPECT_GE(end, before + milliseconds(5 * 11));
  EXPECT_LE(end, issued + milliseconds(5 * 11));
  EXPECT_GE(sim_now() + sim_least_sleep, end) << "the host sees it no earlier";
}

TEST(SimDuration, WorkThatTakesTheHostLongerTakesAsLongAsTheHostNeeds) {
  Machine machine("float32=1G", 1);
  Lane& lane = machine.lane(0, LaneRole::compute);
  const SimTime before = sim_now();
  machine.issue(lane, [](KernelContext& context) {
    EXPECT_TRUE(context.meter()->begin({.flops = 10e6}, {}));
    std::this_thread::sleep_for(milliseconds(30));
  });
  EXPECT_GE(Machine::end_of(lane), before + milliseconds(30));
}

TEST(SimDuration, ManyShortKernelsTakeTheirSumAlthoughTheHostSleepsBadly) {
  Machine machine("dry,float32=1G", 1);
  Lane& lane = machine.lane(0, LaneRole::compute);
  const SimTime before = sim_now();
  for (int i = 0; i < 5000; ++i) machine.kernel(lane, 10e3);
  const SimTime issued = sim_now();
  const SimTime end = Machine::end_of(lane);
  EXPECT_GE(end, before + milliseconds(50));
  EXPECT_LE(end, issued + milliseconds(50));
}

TEST(SimDuration, StreamsShareTheirDeviceAndDevicesShareNothing) {
  Machine machine("dry,float32=1G");
  const SimTime before = sim_now();
  for (int i = 0; i < 4; ++i) {
    machine.kernel(machine.lane(0, LaneRole::compute, 0), 10e6);
    machine.kernel(machine.lane(0, LaneRole::compute, 1), 10e6);
    machine.kernel(machine.lane(1, LaneRole::compute), 10e6);
  }
  const SimTime issued = sim_now();
  const SimTime alone = Machine::end_of(machine.lane(1, LaneRole::compute));
  const SimTime shared = std::max(Machine::end_of(machine.lane(0, LaneRole::compute, 0)),
                                  Machine::end_of(machine.lane(0, LaneRole::compute, 1)));
  EXPECT_GE(alone, before + milliseconds(40));
  EXPECT_LE(alone, issued + milliseconds(40));
  EXPECT_GE(shared, before + milliseconds(80));
}

TEST(SimDuration, ADeviceMayBeSlowerThanItsNeighbour) {
  Machine machine("dry,float32=1G,sim:0.speed=0.25");
  const SimTime before = sim_now();
  for (int device : {0, 1}) machine.kernel(machine.lane(device, LaneRole::compute), 10e6);
  const SimTime issued = sim_now();
  EXPECT_GE(Machine::end_of(machine.lane(0, LaneRole::compute)), before + milliseconds(40));
  EXPECT_LE(Machine::end_of(machine.lane(1, LaneRole::compute)), issued + milliseconds(10));
}

TEST(SimDuration, AWaitCarriesTheMomentOfTheEventAndItsLatency) {
  Machine machine("dry,float32=1G,event=5ms");
  Lane& first = machine.lane(0, LaneRole::compute);
  Lane& second = machine.lane(1, LaneRole::compute);
  const SimTime before = sim_now();
  machine.kernel(first, 20e6);
  Event* event = first.record();
  second.wait(*event);
  machine.kernel(second, 10e6);
  const SimTime issued = sim_now();
  const SimTime end = Machine::end_of(second);
  EXPECT_GE(end, before + milliseconds(20 + 5 + 10));
  EXPECT_LE(end, issued + milliseconds(20 + 5 + 10 + 5));
  first.release(event);
}

TEST(SimDuration, CopiesAndKernelsGoOnAtTheSameTimeInEveryDirection) {
  Machine machine("dry,float32=1G,to_host=400M,from_host=400M,peer=400M");
  std::vector<std::byte> in(8'000'000), out(8'000'000);
  ASSERT_TRUE(machine.backend().lock_pages(in.data(), in.size()));
  ASSERT_TRUE(machine.backend().lock_pages(out.data(), out.size()));
  std::byte* const here = machine.allocate(0, in.size());
  std::byte* const also_here = machine.allocate(0, in.size());
  std::byte* const there = machine.allocate(1, in.size());
  const SimTime before = sim_now();
  machine.kernel(machine.lane(0, LaneRole::compute), 20e6);
  machine.copy(machine.lane(0, LaneRole::from_host), here, in.data(), in.size());
  machine.copy(machine.lane(0, LaneRole::to_host), out.data(), also_here, out.size());
  machine.copy(machine.lane(0, LaneRole::peer), there, also_here, in.size());
  const SimTime issued = sim_now();
  for (const LaneRole role : {LaneRole::compute, LaneRole::from_host, LaneRole::to_host, LaneRole::peer}) {
    const SimTime end = Machine::end_of(machine.lane(0, role));
    // A piece's time is rounded to a nanosecond.
    EXPECT_GE(end + microseconds(1), before + milliseconds(20)) << static_cast<int>(role);
    EXPECT_LE(end, issued + milliseconds(20) + microseconds(1)) << static_cast<int>(role);
  }
  machine.backend().unlock_pages(in.data(), in.size());
  machine.backend().unlock_pages(out.data(), out.size());
}

TEST(SimDuration, StagingIsAsFastAsTheSlowerOfItsEndsAndOneChunkMore) {
  Machine machine("dry,to_host=1G,from_host=1G,staging=500M", 1);
  std::vector<std::byte> host(32 * mebibyte);
  std::byte* const device = machine.allocate(0, host.size());
  const SimTime whole = SimModel::copy_time(host.size(), 500e6);
  const SimTime chunk = SimModel::copy_time(4 * mebibyte, 1e9);
  for (const LaneRole role : {LaneRole::to_host, LaneRole::from_host}) {
    Lane& lane = machine.lane(0, role);
    const SimTime before = sim_now();
    if (role == LaneRole::to_host) {
      machine.copy(lane, host.data(), device, host.size());
    } else {
      machine.copy(lane, device, host.data(), host.size());
    }
    const SimTime issued = sim_now();
    const SimTime end = Machine::end_of(lane);
    // A chunk's time is rounded to a nanosecond.
    EXPECT_GE(end + microseconds(1), before + whole + chunk);
    EXPECT_LE(end, issued + whole + chunk + microseconds(1));
  }
}

TEST(SimDuration, PeersWithoutAccessGoByWayOfTheHost) {
  constexpr std::size_t bytes = 12 * mebibyte;
  const auto time_of_copy = [](std::string_view model) {
    Machine machine(model);
    std::byte* const from = machine.allocate(0, bytes);
    std::byte* const to = machine.allocate(1, bytes);
    Lane& lane = machine.lane(0, LaneRole::peer);
    const SimTime before = sim_now();
    machine.copy(lane, to, from, bytes);
    return Machine::end_of(lane) - before;
  };
  const SimTime staged = SimModel::copy_time(bytes + 4 * mebibyte, 500e6);
  EXPECT_GE(time_of_copy("dry,to_host=500M,from_host=500M,peer=10G,staged_peers") + microseconds(1), staged);
  EXPECT_LT(time_of_copy("dry,to_host=5M,from_host=5M,peer=10G"), SimModel::copy_time(bytes, 5e6));
}

TEST(SimDuration, ADryDeviceTouchesNothing) {
  Machine machine("dry,float32=1G,staging=1T", 1);
  machine.issue(machine.lane(0, LaneRole::compute), [](KernelContext& context) {
    EXPECT_FALSE(context.meter()->begin({.flops = 1e3}, {})) << "the kernel is not to run";
  });
  Machine::end_of(machine.lane(0, LaneRole::compute));
  std::vector<std::byte> host(1000);
  std::byte* const device = machine.allocate(0, host.size());
  device[0] = std::byte{5};
  machine.copy(machine.lane(0, LaneRole::to_host), host.data(), device, host.size());
  Machine::end_of(machine.lane(0, LaneRole::to_host));
  EXPECT_EQ(host[0], std::byte{0});
}

}  // namespace
}  // namespace stretto
