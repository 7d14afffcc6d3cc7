#include <deque>
#include <string>

#include <stretto/base/schedule.h>

#include "engine/scenario.h"
#include "engine/testing.h"

namespace stretto {
namespace {

TEST(Waiting, IsForOneBufferAlone) {
  if (serial_engine()) GTEST_SKIP() << "the serial engine is done when a submission returns";
  const Array<> x(1, sim0), y(1, cpu0);
  Gate gate;
  submit(sim0, {write(x)}, [gate](BodyContext&) { gate.pass(); });
  fill<std::int64_t>(y, 3);
  EXPECT_EQ(y.item(), 3);
  EXPECT_GT(Engine::get().pending_tasks(), 0u);
  gate.open();
  x.wait();
}

TEST(Waiting, IsForOneBoxAlone) {
  if (serial_engine()) GTEST_SKIP() << "the serial engine is done when a submission returns";
  const Array<> x(2);
  const Box first(0, 8, Shape{1}, Strides{1}), second(8, 8, Shape{1}, Strides{1});
  Gate gate;
  submit(sim0, {write(x, &first)}, [gate](BodyContext& context) {
    gate.pass();
    data(context, 0)[0] = 1;
  });
  submit(cpu0, {write(x, &second)}, [](BodyContext& context) { data(context, 0)[1] = 2; });
  Engine::get().wait(*x.buffer, &second, "read", CallSite());
  EXPECT_EQ(reinterpret_cast<std::int64_t*>(x.buffer->data())[1], 2);
  EXPECT_GT(Engine::get().pending_tasks(), 0u);
  gate.open();
  EXPECT_EQ(x.wait()[0], 1);
}

TEST(Waiting, ForWhatNobodyWroteGivesMemory) {
  for (const Device device : {cpu0, sim0}) {
    const Array<> x(1000, device);
    EXPECT_NE(x.wait(), nullptr);
    fill<std::int64_t>(x, 3, device);
    EXPECT_EQ(x.wait()[999], 3);
  }
}

TEST(Waiting, ForAllSeesTheEndOfEverything) {
  std::atomic<int> done{0};
  for (int round = 0; round < 30; ++round) {
    const Array<> x(1), y(1, sim0);
    for (int i = 0; i < 20; ++i) {
      submit(i % 2 ? cpu0 : cpu1, {read_write(x)}, [&](BodyContext&) { ++done; });
      submit(i % 2 ? sim0 : sim1, {read_write(y)}, [&](BodyContext&) { ++done; });
    }
    wait_all();
    EXPECT_EQ(done, 40 * (round + 1));
  }
}

TEST(Waiting, ForAllSeesTasksThatTasksSubmitted) {
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> done{0};
    for (int i = 0; i < 4; ++i)
      submit(cpu0, {}, [&](BodyContext&) {
        for (int j = 0; j < 4; ++j)
          submit(cpu1, {}, [&](BodyContext&) {
            std::this_thread::sleep_for(std::chrono::microseconds(50));
            submit(cpu0, {}, [&](BodyContext&) { ++done; });
          });
      });
    wait_all();
    ASSERT_EQ(done, 16);
  }
}

TEST(Waiting, ForAllOfSeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([i] {
      for (int round = 0; round < 30; ++round) {
        std::atomic<int> done{0};
        const Array<> x(1, i % 2 ? sim0 : cpu0);
        for (int j = 0; j < 10; ++j) submit(i % 2 ? sim0 : cpu0, {read_write(x)}, [&](BodyContext&) { ++done; });
        wait_all();
        EXPECT_EQ(done, 10);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(Waiting, ForOneDevice) {
  if (serial_engine()) GTEST_SKIP() << "the serial engine is done when a submission returns";
  const Array<> x(1, sim0), y(1, sim1);
  Gate gate;
  std::atomic<int> done{0};
  submit(sim0, {write(x)}, [gate](BodyContext&) { gate.pass(); });
  for (int i = 0; i < 500; ++i) submit(sim1, {i % 2 ? read(y) : read_write(y)}, [&](BodyContext&) { ++done; });
  Engine::get().synchronize(sim1, CallSite());
  EXPECT_EQ(done, 500);
  EXPECT_GT(Engine::get().pending_tasks(), 0u);
  gate.open();
  Engine::get().synchronize(sim0, CallSite());
  x.wait();
  EXPECT_EQ(error_of([] {
              Engine::get().synchronize(Device(DeviceKind::sim, 9), CallSite());
            }).find("there is no device sim:9"),
            0u);
}

TEST(Waiting, ForOneDeviceWithMoreTasksThanAJoinTakes) {
  std::atomic<int> done{0};
  for (int i = 0; i < 2000; ++i) submit(cpu1, {}, [&](BodyContext&) { ++done; });
  Engine::get().synchronize(cpu1, CallSite());
  EXPECT_EQ(done, 2000);
}

// --- Inside tasks
// ----------------------------------------------------------------------------------------------------------

/// Case E5: tasks that make arrays, and read a number of them.
void nest(int count, Device outer, Device inner) {
  std::deque<Array<>> results;
  for (std::int64_t i = 0; i < count; ++i) {
    const Array<>& result = results.emplace_back(1, outer);
    submit(outer, {write(result)}, [i, inner](BodyContext& context) {
      const Array<> x(1, inner), y(1, inner);
      fill<std::int64_t>(x, i, inner);
      submit(inner, {read(x), write(y)}, [](BodyContext& context) { *data(context, 1) = 2 * *data(context, 0); });
      *data(context, 0) = y.item() + 1;
    });
  }
  for (std::int64_t i = 0; i < count; ++i) EXPECT_EQ(results[static_cast<std::size_t>(i)].item(), 2 * i + 1);
}

TEST(WaitingInside, CpuTasksForTheirOwnDevice) { nest(50, cpu0, cpu0); }
TEST(WaitingInside, CpuTasksForAnotherCpu) { nest(50, cpu0, cpu1); }
TEST(WaitingInside, CpuTasksForASimulatedDevice) { nest(50, cpu0, sim0); }
TEST(WaitingInside, SimulatedTasksForACpu) { nest(50, sim0, cpu0); }
TEST(WaitingInside, ManyTasksForASimulatedDevice) { nest(300, cpu0, sim0); }

const Scenario nested_waits("nested waits", [] {
  nest(50, cpu0, cpu0);
  nest(50, cpu0, cpu1);
  nest(50, cpu0, sim0);
  nest(50, sim0, cpu0);
  std::puts(testing::Test::HasFailure() ? "wrong" : "done");
  return 0;
});
TEST(WaitingInside, OnAPoolOfOne) {
  EXPECT_SCENARIO("nested waits", (Variables{{"STRETTO_WORKERS", "1"}}), "done\n");
  EXPECT_SCENARIO("nested waits", (Variables{{"STRETTO_WORKERS", "1"}, {"STRETTO_SCHEDULE", "random:5"}}), "done\n");
}

/// A wait may be over while whoever waits looks for something to do meanwhile, and its slot another task's: here mostly
/// one that comes after the very task which waits. Whoever ends waits on cpu:1 submits such tasks there right away.
const Scenario slots_of_waits("slots of waits", [] {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    reseed_schedule(seed);
    const Array<> x(1, cpu0);
    submit(cpu0, {write(x)}, [](BodyContext& context) {
      std::int64_t sum = 0;
      for (std::int64_t i = 1; i <= 10; ++i) {
        const Array<> y(1, cpu1);
        fill<std::int64_t>(y, i, cpu1);
        sum += y.item();
      }
      *data(context, 0) = sum;
    });
    for (int i = 0; i < 30; ++i) {
      submit(cpu1, {}, [&x](BodyContext&) {
        for (int reader = 0; reader < 3; ++reader) submit(cpu1, {read(x)}, [](BodyContext&) {});
      });
    }
    std::string seen;
    const std::string error = error_of([&] { seen = std::to_string(x.item()); });
    if (seen != "55") std::printf("seed %d: %s\n", static_cast<int>(seed), error.c_str());
    wait_all();
  }
  std::puts("done");
  return 0;
});
TEST(WaitingInside, WhileTheSlotOfAWaitBecomesAnotherTasks) {
  EXPECT_SCENARIO("slots of waits", (Variables{{"STRETTO_SCHEDULE", "deterministic:1"}, {"STRETTO_WORKERS", "2"}}),
                  "done\n");
}

/// A task waits for a task that waits for a task, and so on.
std::int64_t depth_of(int depth) {
  if (depth == 0) return 0;
  const Array<> x(1, depth % 2 ? cpu0 : cpu1);
  submit(depth % 2 ? cpu0 : cpu1, {write(x)},
         [depth](BodyContext& context) { *data(context, 0) = depth_of(depth - 1) + 1; });
  return x.item();
}
TEST(WaitingInside, Deeply) { EXPECT_EQ(depth_of(150), 150); }

/// Each task makes two others and waits for both.
std::int64_t leaves(int depth) {
  if (depth == 0) return 1;
  const Array<> left(1), right(1);
  for (const Array<>& side : {left, right})
    submit(cpu0, {write(side)}, [depth](BodyContext& context) { *data(context, 0) = leaves(depth - 1); });
  return left.item() + right.item();
}
TEST(WaitingInside, Widely) { EXPECT_EQ(leaves(8), 256); }

TEST(WaitingInside, ForWhatTheTaskDeclaredToReadReturnsAtOnce) {
  const Array<> x(1), y(1);
  fill<std::int64_t>(x, 5);
  submit(cpu0, {read(x), write(y)}, [x](BodyContext& context) { *data(context, 1) = x.item(); });
  EXPECT_EQ(y.item(), 5);
}

TEST(WaitingInside, ForWhatTheTaskWritesIsAnErrorThatNamesBothLines) {
  for (const Device device : {cpu0, sim0}) {
    const Array<> x(1, device);
    std::string inner;
    submit({.name = "writer", .device = device, .site = CallSite("program.cpp", "main", 7)}, {write(x)},
           [&](BodyContext&) { x.wait(CallSite("program.cpp", "main", 8)); });
    EXPECT_EQ(
        error_of([&] { x.wait(); }),
        "[read] waits inside the task writer (program.cpp:7) for a tensor that this task writes (at program.cpp:8)");
  }
}

TEST(WaitingInside, ForAnotherTaskThatWaitsForThisOneIsAnError) {
  if (serial_engine()) GTEST_SKIP() << "the serial engine runs the task inside its submission";
  const Array<> x(1), y(1);
  const CallSite site7("program.cpp", "main", 7), site8("program.cpp", "main", 8);
  Gate gate;
  submit({.name = "outer", .site = site7}, {write(x)}, [&, gate](BodyContext&) {
    gate.pass();
    y.wait(site8);
  });
  submit({.name = "next"}, {read(x), write(y)}, [](BodyContext&) {});
  gate.open();
  const std::string text =
      "[read] waits inside the task outer (program.cpp:7) for something that waits for this very task (at "
      "program.cpp:8)";
  EXPECT_EQ(error_of([&] { x.wait(); }), text);
  EXPECT_EQ(error_of([&] { y.wait(); }), text);
}

TEST(WaitingInside, SubmissionsThatReadWhatTheTaskDeclaredToReadArePartOfIt) {
  for (int round = 0; round < 50; ++round) {
    const Array<> x(1), y(1), z(1);
    fill<std::int64_t>(x, 5);
    Gate gate;
    if (serial_engine()) gate.open();
    submit(cpu0, {read(x), write(y)}, [=](BodyContext& context) {
      gate.pass();
      submit(cpu1, {read(x), write(z)}, [](BodyContext& inner) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        *data(inner, 1) = *data(inner, 0);
      });
      *data(context, 1) = 1;
    });
    fill<std::int64_t>(x, 6);
    gate.open();
    EXPECT_EQ(x.item(), 6);
    EXPECT_EQ(z.item(), 5);
  }
}

TEST(WaitingInside, SubmissionsThatUseWhatTheTaskDeclaredOtherwiseAreErrors) {
  const auto error_inside = [](const Array<>& x, AccessMode outer, AccessMode inner, Device device) {
    const Array<> y(1, device);
    submit({.name = "outer", .device = device, .site = CallSite("program.cpp", "main", 7)},
           {Access{x.buffer.get(), nullptr, outer}, write(y)}, [=](BodyContext&) {
             submit({.name = "inner", .device = device, .site = CallSite("program.cpp", "main", 8)},
                    {Access{x.buffer.get(), nullptr, inner}}, [](BodyContext&) {});
           });
    return error_of([&] { y.wait(); });
  };
  const std::string begin = " inside the task outer (program.cpp:7) a tensor ";
  const Array<> x(1), y(1, sim0);
  fill<std::int64_t>(x, 1);
  const Array<> z(1);
  EXPECT_EQ(error_inside(z, AccessMode::write, AccessMode::read, cpu0),
            "[inner] uses" + begin + "that this task writes: there the context alone reaches it (at program.cpp:8)");
  EXPECT_EQ(error_inside(x, AccessMode::read, AccessMode::read_write, cpu0),
            "[inner] writes" + begin + "that this task declared to read (at program.cpp:8)");
  EXPECT_EQ(
      error_inside(y, AccessMode::read, AccessMode::read, sim0),
      "[inner] uses" + begin + "that this task declared: on sim:0 the context alone reaches it (at program.cpp:8)");
}

TEST(WaitingInside, TwoTasksForEachOtherIsAnErrorInOneOfThem) {
  if (serial_engine() || worker_count() < 2) GTEST_SKIP() << "the two tasks must run at the same time";
  for (int round = 0; round < 20; ++round) {
    const Array<> x(1), y(1);
    std::atomic<int> inside{0};
    const auto wait_for = [&inside](const Array<>& other) {
      return [&inside, other](BodyContext&) {
        ++inside;
        if (!eventually([&] { return inside == 2; })) throw Error("the other one does not run");
        other.wait();
      };
    };
    submit({.name = "one"}, {write(x)}, wait_for(y));
    submit({.name = "two"}, {write(y)}, wait_for(x));
    const std::string error = error_of([] { wait_all(); });
    EXPECT_NE(error.find("for something that waits for this very task"), std::string::npos) << error;
    EXPECT_EQ(error_of([] { wait_all(); }), "nothing");
  }
}

TEST(WaitingInside, ForAllIsAnError) {
  const Array<> x(1);
  submit({.name = "outer"}, {write(x)}, [](BodyContext&) { wait_all(CallSite("program.cpp", "main", 8)); });
  EXPECT_EQ(error_of([&] { x.wait(); }),
            "[wait_all] called inside the task outer, which it would wait for (at program.cpp:8)");
  submit({.name = "outer"}, {write(x)},
         [](BodyContext&) { Engine::get().synchronize(cpu0, CallSite("program.cpp", "main", 8)); });
  EXPECT_EQ(error_of([&] { x.wait(); }), "[synchronize] called inside the task outer (at program.cpp:8)");
}

TEST(WaitingInside, ALoopOverManyThreads) {
  const Array<> x(64);
  submit(cpu0, {write(x)}, [](BodyContext& context) {
    std::int64_t* values = data(context, 0);
    context.kernels().parallel_for(64, [values](std::int64_t i) {
      const Array<> y(1);
      fill<std::int64_t>(y, i);
      values[i] = y.item();
    });
  });
  const std::int64_t* values = x.wait();
  for (std::int64_t i = 0; i < 64; ++i) EXPECT_EQ(values[i], i);
}

TEST(WaitingInside, MoreTasksThanThereMayBeThreads) {
  // All wait for one thing that comes from outside: no more threads than the pool may have, and no failure.
  constexpr int count = 1500;
  const Array<> x(1, sim0);
  std::deque<Array<>> results;
  Gate gate;
  if (serial_engine()) gate.open();
  submit(sim0, {write(x)}, [gate](BodyContext& context) {
    gate.pass();
    *data(context, 0) = 4;
  });
  for (int i = 0; i < count; ++i) {
    results.emplace_back(1);
    submit(cpu0, {write(results.back())}, [x](BodyContext& context) { *data(context, 0) = x.item(); });
  }
  sleep_for_milliseconds(50);
  gate.open();
  for (const Array<>& result : results) ASSERT_EQ(result.item(), 4);
}

TEST(Loops, RunEachChunkOnceAndPassOnWhatTheyThrow) {
  for (const Device device : {cpu0, sim0}) {
    const Array<> x(1000, device);
    submit(device, {write(x)}, [](BodyContext& context) {
      std::int64_t* values = data(context, 0);
      for (int i = 0; i < 1000; ++i) values[i] = 0;
      for (int round = 0; round < 20; ++round)
        context.kernels().parallel_for(1000, [values](std::int64_t i) { ++values[i]; });
    });
    const std::int64_t* values = x.wait();
    for (std::int64_t i = 0; i < 1000; ++i) ASSERT_EQ(values[i], 20);
    submit(device, {write(x)}, [](BodyContext& context) {
      context.kernels().parallel_for(1000, [](std::int64_t i) {
        if (i == 500) throw Error("chunk 500");
      });
    });
    EXPECT_EQ(error_of([&] { x.wait(); }), "[task] chunk 500");
  }
}

}  // namespace
}  // namespace stretto
