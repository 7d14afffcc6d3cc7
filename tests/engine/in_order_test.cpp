// Lanes that keep their order: issue as soon as predecessors are issued, few waits, and each for a task and not for a
// tail.

#include <deque>
#include <optional>

#include "engine/launcher.h"
#include "engine/scenario.h"
#include "engine/scheduler.h"
#include "engine/testing.h"

namespace stretto {
namespace {

constexpr std::size_t elements = (std::size_t{1} << 20) / 8;

class InOrder : public testing::Test {
 protected:
  void SetUp() override {
    if (serial_engine()) GTEST_SKIP() << "the serial engine waits for each task";
  }
  static const Launcher& launcher(Device device) { return *Engine::get().scheduler().devices().at(device).launcher; }
  /// Waits recorded by both simulated devices so far.
  static std::uint64_t waits() { return launcher(sim0).waits_recorded() + launcher(sim1).waits_recorded(); }
};

TEST_F(InOrder, TasksAreIssuedWhenTheirPredecessorsAreIssued) {
  const Array<> x(1, sim0), y(1, sim1), z(1, sim0);
  Gate gate;
  submit(sim0, {write(x)}, [gate](BodyContext& context) {
    gate.pass();
    *data(context, 0) = 1;
  });
  submit(sim1, {read(x), write(y)}, [](BodyContext& context) { *data(context, 1) = *data(context, 0) + 1; });
  submit(sim0, {read(y), write(z)}, [](BodyContext& context) { *data(context, 1) = *data(context, 0) + 1; });
  for (int i = 0; i < 100; ++i) submit(sim0, {read_write(z)}, [](BodyContext& context) { ++*data(context, 0); });
  EXPECT_TRUE(eventually([] { return launcher(sim0).in_flight() == 102 && launcher(sim1).in_flight() == 1; }))
      << launcher(sim0).in_flight() << " and " << launcher(sim1).in_flight() << " are in flight";
  gate.open();
  EXPECT_EQ(z.item(), 103);
}

TEST_F(InOrder, AChainStaysInOneStreamAndWaitsForNothing) {
  const Array<> x(1, sim0);
  fill<std::int64_t>(x, 0, sim0);
  x.wait();
  Gate gate;
  submit(sim0, {read_write(x)}, [gate](BodyContext&) { gate.pass(); });
  const std::uint64_t before = waits();
  for (int i = 0; i < 100; ++i) submit(sim0, {read_write(x)}, [](BodyContext& context) { ++*data(context, 0); });
  EXPECT_TRUE(eventually([] { return launcher(sim0).in_flight() == 101; }));
  gate.open();
  EXPECT_EQ(x.item(), 100);
  EXPECT_EQ(waits() - before, 0u);
}

TEST_F(InOrder, OneWaitCoversAllThatCameBefore) {
  // Copies of the results of one chain: the wait for the last result is a wait for all.
  std::deque<Array<>> results;
  Gate gate;
  for (int i = 0; i < 20; ++i) {
    results.emplace_back(1, sim0);
    if (i == 0) {
      submit(sim0, {write(results[0])}, [gate](BodyContext& context) {
        gate.pass();
        *data(context, 0) = 0;
      });
    } else {
      submit(sim0, {read(results[static_cast<std::size_t>(i) - 1]), write(results.back())},
             [](BodyContext& context) { *data(context, 1) = *data(context, 0) + 1; });
    }
  }
  EXPECT_TRUE(eventually([] { return launcher(sim0).in_flight() == 20; }));
  const std::uint64_t before = waits();
  std::deque<Array<>> copies;
  for (std::size_t i = 20; i-- > 0;) {
    copies.emplace_back(1, cpu0);
    submit({.name = "copy", .device = sim0, .role = LaneRole::to_host}, {read(results[i]), write(copies.back())},
           [](BodyContext& context) { *data(context, 1) = *data(context, 0); });
  }
  EXPECT_TRUE(eventually([] { return launcher(sim0).in_flight() == 40; }));
  EXPECT_EQ(waits() - before, 1u);
  gate.open();
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(copies[i].item(), static_cast<std::int64_t>(19 - i));
}

TEST_F(InOrder, CopyZeroDoesNotWaitForTheLastProduct) {
  constexpr int count = 50;
  const Array<> x(1, sim0);
  fill<std::int64_t>(x, 3, sim0);
  x.wait();
  const std::uint64_t before = waits();
  std::deque<Array<>> products, copies;
  std::vector<Gate> gates(count);
  for (int i = 0; i < count; ++i) {
    products.emplace_back(1, sim0);
    submit({.name = "product", .device = sim0}, {read(x), write(products.back())},
           [i, gate = gates[static_cast<std::size_t>(i)]](BodyContext& context) {
             gate.pass();
             *data(context, 1) = *data(context, 0) * i;
           });
  }
  for (const Array<>& product : products) {
    copies.emplace_back(1, cpu0);
    submit({.name = "copy", .device = sim0, .role = LaneRole::to_host}, {read(product), write(copies.back())},
           [](BodyContext& context) { *data(context, 1) = *data(context, 0); });
  }
  EXPECT_TRUE(eventually([] { return launcher(sim0).in_flight() == 2 * count; }));
  EXPECT_LE(waits() - before, static_cast<std::uint64_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    gates[i].open();
    EXPECT_EQ(copies[i].item(), static_cast<std::int64_t>(3 * i)) << "while product " << i + 1 << " is held back";
  }
}

TEST_F(InOrder, WhoWritesAnotherPartWaitsForTheMemoryToo) {
  // The memory of `fresh` was `old`'s, which is still written. Its first writer goes on behind that in the same stream;
  // the second comes after nothing but the memory, in another one. No other test leaves blocks of this size.
  constexpr std::size_t count = 50000;
  Gate gate;
  const Array<> x(1, sim0);
  std::optional<Array<>> old(std::in_place, count, sim0);
  submit(sim0, {write(*old), write(x)}, [gate](BodyContext& context) {
    gate.pass();
    data(context, 0)[1] = 7;
  });
  old.reset();
  const Array<> fresh(count, sim0);
  const Box first(0, 8, Shape{1}, Strides{1}), second(8, 8, Shape{1}, Strides{1});
  submit(sim0, {read(x), write(fresh, &first)}, [](BodyContext& context) { data(context, 1)[0] = 4; });
  submit(sim0, {write(fresh, &second)}, [](BodyContext& context) { data(context, 0)[1] = 5; });
  EXPECT_TRUE(eventually([] { return launcher(sim0).in_flight() == 3; }));
  sleep_for_milliseconds(20);
  gate.open();
  EXPECT_EQ(fresh.wait()[0], 4);
  EXPECT_EQ(fresh.wait()[1], 5);
}

TEST_F(InOrder, IndependentTasksUseSeveralStreams) {
  Gate gate;
  std::deque<Array<>> arrays;
  for (int i = 0; i < environment().streams; ++i) {
    arrays.emplace_back(1, sim0);
    submit(sim0, {write(arrays.back())}, [gate](BodyContext&) { gate.pass(); });
  }
  EXPECT_TRUE(eventually([&] { return gate.arrived() == environment().streams; }));
  gate.open();
  wait_all();
}

TEST_F(InOrder, WhatFollowsWorkOfTheCpuIsIssuedLate) {
  const Array<> x(1, cpu0), y(1, sim0), z(1, sim0);
  Gate gate;
  submit(cpu0, {write(x)}, [gate](BodyContext& context) {
    gate.pass();
    *data(context, 0) = 1;
  });
  submit({.name = "copy", .device = sim0, .role = LaneRole::from_host}, {read(x), write(y)},
         [](BodyContext& context) { *data(context, 1) = *data(context, 0); });
  fill<std::int64_t>(z, 3, sim0);
  EXPECT_EQ(z.item(), 3) << "the lanes are free meanwhile";
  EXPECT_EQ(launcher(sim0).in_flight(), 0);
  gate.open();
  EXPECT_EQ(y.item(), 1);
}

const Scenario reuse("a block is reused without a wait", [] {
  // There is room for one array. Its first owner is dropped while its task is still held back.
  Gate gate;
  const Array<> result(1, cpu0);
  {
    const Array<> x(elements, sim0);
    submit(sim0, {write(x)}, [gate](BodyContext& context) {
      gate.pass();
      data(context, 0)[5] = 1;
    });
  }
  const Array<> y(elements, sim0);
  std::atomic<std::int64_t> before{-1};
  submit({.name = "second", .device = sim0, .role = LaneRole::peer}, {write(y)}, [&](BodyContext& context) {
    before = data(context, 0)[5];
    data(context, 0)[5] = 2;
  });
  const Launcher& launcher = *Engine::get().scheduler().devices().at(sim0).launcher;
  const bool issued = eventually([&] { return launcher.in_flight() == 2; });
  gate.open();
  const std::int64_t value = y.wait()[5];
  std::printf("%s, %d after %d\n", issued ? "issued" : "held back", static_cast<int>(value),
              static_cast<int>(before.load()));
  return 0;
});

TEST_F(InOrder, BlocksAreReusedWithoutAHostWait) {
  EXPECT_SCENARIO("a block is reused without a wait", (Variables{{"STRETTO_MEMORY_LIMIT", "1M"}}),
                  "issued, 2 after 1\n");
  EXPECT_SCENARIO("a block is reused without a wait", (Variables{{"STRETTO_SIM_MODEL", "sim:0.capacity=1M"}}),
                  "issued, 2 after 1\n");
}

TEST_F(InOrder, RolesGoToTheirLanes) {
  // Copies in the three directions and a kernel run at the same time.
  Gate gate;
  std::deque<Array<>> arrays;
  for (const LaneRole role : {LaneRole::compute, LaneRole::to_host, LaneRole::from_host, LaneRole::peer}) {
    arrays.emplace_back(1, sim0);
    submit({.name = "role", .device = sim0, .role = role}, {write(arrays.back())},
           [gate](BodyContext&) { gate.pass(); });
  }
  EXPECT_TRUE(eventually([&] { return gate.arrived() == 4; }));
  gate.open();
  wait_all();
}

/// Case L1: copies between devices whose sources are dropped at once.
TEST_F(InOrder, SourcesMayBeDroppedWhileCopiesArePending) {
  std::deque<Array<>> results;
  for (std::int64_t i = 0; i < 300; ++i) {
    const std::size_t count = 1 + static_cast<std::size_t>(i * 37 % 5000);
    const Array<> source(count, i % 2 ? sim0 : sim1);
    fill<std::int64_t>(source, i, i % 2 ? sim0 : sim1);
    results.emplace_back(count, i % 2 ? sim1 : sim0);
    submit({.name = "copy", .device = i % 2 ? sim0 : sim1, .role = LaneRole::peer},
           {read(source), write(results.back())},
           [count](BodyContext& context) { std::copy_n(data(context, 0), count, data(context, 1)); });
    const Array<> overwritten(count, i % 2 ? sim0 : sim1);
    fill<std::int64_t>(overwritten, -1, i % 2 ? sim0 : sim1);
  }
  for (std::int64_t i = 0; i < 300; ++i) {
    const Array<>& result = results[static_cast<std::size_t>(i)];
    const std::int64_t* values = result.wait();
    for (std::size_t j = 0; j < result.count; ++j) ASSERT_EQ(values[j], i);
  }
}

}  // namespace
}  // namespace stretto
